/** How a type is written in XML, made from its definition when it is first needed: https://hl7.org/fhir/R4/xml.html. */
import { type ElementStructure, structureOf } from '../definitions.ts'
import { PRIMITIVES } from '../validate/primitives.ts'

export interface XmlProperty {
  /** In JSON and in XML: `deceasedBoolean`. */
  readonly key: string
  /** Where JSON holds the id and the extensions of a primitive: `_birthDate`. */
  readonly sibling: string
  /** In FHIRPath: `deceased`. */
  readonly name: string
  readonly type: string
  /** Elements stand in the order of their definition. */
  readonly position: number
  readonly repeats: boolean
  readonly content: 'boolean' | 'number' | 'string' | 'xhtml' | 'complex' | 'resource'
}

export interface XmlPlan {
  readonly type: string
  /** Names of what is an attribute in XML: `id`, `url`. */
  readonly attributes: readonly string[]
  /** By name, in order. */
  readonly properties: ReadonlyMap<string, XmlProperty>
}

const plans = new Map<string, XmlPlan>()

/** @throws Error for a name that is no type of R4: callers take it from the definitions. */
export function xmlPlanOf(type: string): XmlPlan {
  const known = plans.get(type)
  if (known !== undefined) return known
  const structure = structureOf(type)
  if (structure === undefined) throw new Error(`R4 has no type ${type}`)
  const plan: XmlPlan = {
    type,
    attributes: structure.elements.filter(({ attribute }) => attribute).map(({ name }) => name),
    properties: new Map(
      structure.elements
        .flatMap((element, position) => (element.attribute ? [] : propertiesOf(element, position)))
        .map((property) => [property.key, property]),
    ),
  }
  plans.set(type, plan)
  return plan
}

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
