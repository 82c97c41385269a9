/** How a type is represented in XML, compiled from its definition on first use: https://hl7.org/fhir/R4/xml.html. */
import { type ElementStructure, perStructure } from '../definitions.ts'
import { PRIMITIVES } from '../validate/primitives.ts'

export interface XmlProperty {
  /** The name in JSON and XML: `deceasedBoolean`. */
  readonly key: string
  /** The JSON property for the id and extensions of a primitive: `_birthDate`. */
  readonly sibling: string
  /** The name in FHIRPath: `deceased`. */
  readonly name: string
  readonly type: string
  /** Rank in the definition, which is the order of elements in XML. */
  readonly position: number
  readonly repeats: boolean
  readonly content: 'boolean' | 'number' | 'string' | 'xhtml' | 'complex' | 'resource'
}

export interface XmlPlan {
  readonly type: string
  /** Elements that are attributes in XML: `id`, `url`. */
  readonly attributes: readonly string[]
  /** By `key`, in order of definition. */
  readonly properties: ReadonlyMap<string, XmlProperty>
}

/** @throws Error for an unknown type; callers take types from the definitions */
export const xmlPlanOf: (type: string) => XmlPlan = perStructure(
  ({ name: type, elements }): XmlPlan => ({
    type,
    attributes: elements.filter(({ attribute }) => attribute).map(({ name }) => name),
    properties: new Map(
      elements
        .flatMap((element, position) => (element.attribute ? [] : propertiesOf(element, position)))
        .map((property) => [property.key, property]),
    ),
  }),
)

const propertiesOf = ({ name, properties, max }: ElementStructure, position: number): readonly XmlProperty[] =>
  Array.from(properties, ([key, type]) => ({
    key,
    sibling: `_${key}`,
    name,
    type,
    position,
    repeats: max > 1,
    content: contentOf(type),
  }))

function contentOf(type: string): XmlProperty['content'] {
  if (type === 'xhtml') return 'xhtml'
  if (type === 'Resource') return 'resource'
  return PRIMITIVES.get(type)?.json ?? 'complex'
}
