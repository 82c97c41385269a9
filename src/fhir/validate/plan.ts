/** The facts about a type that the validator needs, compiled from its definition on first use. */

import { didYouMean } from '../closest-name.ts'
import { type ElementStructure, perStructure } from '../definitions.ts'
import { once } from '../memoize.ts'
import { type Binding, bindingOf } from './bindings.ts'
import { PRIMITIVES, type Primitive } from './primitives.ts'
import { abbreviatedList } from './report.ts'
import { type Rule, rulesOf } from './rules.ts'

export interface Property {
  /** The name in JSON, `deceasedBoolean`. */
  readonly key: string
  /** The name in FHIRPath, `deceased`. */
  readonly name: string
  readonly type: string
  readonly max: number
  /** All JSON names of a choice element, of which only one may be present. */
  readonly choice: readonly string[] | undefined
  readonly rules: readonly Rule[]
  readonly content: ElementContent
}

export type ElementContent =
  | {
      readonly kind: 'primitive'
      readonly primitive: Primitive
      readonly binding: Binding | undefined
      readonly sibling: string
    }
  | { readonly kind: 'sibling'; readonly of: string }
  | {
      readonly kind: 'object'
      readonly plan: () => Plan
      readonly binding: Binding | undefined
      readonly targets: ReadonlySet<string>
    }
  | { readonly kind: 'resource' }

export interface Plan {
  readonly type: string
  readonly isResource: boolean
  /** By JSON name, `_birthDate` included. */
  readonly properties: ReadonlyMap<string, Property>
  readonly mandatory: readonly Mandatory[]
  readonly rules: readonly Rule[]
}

export interface Mandatory {
  readonly name: string
  /** JSON names, of which one must be present. */
  readonly keys: readonly string[]
  /** The expected value, for the message. */
  readonly hint: string
}

/** @throws Error for an unknown type; callers take types from the definitions */
export const validationPlanOf: (type: string) => Plan = perStructure(
  ({ name, kind, elements, constraints }): Plan => ({
    type: name,
    isResource: kind === 'resource',
    properties: new Map(elements.flatMap(propertiesOf).map((property) => [property.key, property])),
    mandatory: elements.filter(({ min }) => min > 0).map(mandatory),
    rules: rulesOf(constraints),
  }),
)

function propertiesOf(element: ElementStructure): readonly Property[] {
  const keys = [...element.properties.keys()]
  const choice = keys.length > 1 ? keys : undefined
  return [...element.properties].flatMap(([key, type]) => {
    const property: Property = {
      key,
      name: element.name,
      type,
      max: element.max,
      choice,
      rules: rulesOf(element.constraints),
      content: contentOf(element, key, type),
    }
    const hasSibling = property.content.kind === 'primitive' && !element.attribute && type !== 'xhtml'
    return hasSibling ? [property, siblingOf(property)] : [property]
  })
}

/** `_birthDate`: https://hl7.org/fhir/R4/json.html#primitive. */
const siblingOf = (property: Property): Property => ({
  ...property,
  key: `_${property.key}`,
  type: 'Element',
  rules: [],
  content: { kind: 'sibling', of: property.key },
})

function contentOf({ binding, targets }: ElementStructure, key: string, type: string): ElementContent {
  const bound = binding === undefined ? undefined : bindingOf(binding)
  const primitive = PRIMITIVES.get(type)
  if (primitive !== undefined) {
    return { kind: 'primitive', primitive, binding: type === 'code' ? bound : undefined, sibling: `_${key}` }
  }
  if (type === 'Resource') return { kind: 'resource' }
  // Types may be recursive, so a plan is looked up when a value needs it.
  const plan = once(() => validationPlanOf(type))
  return { kind: 'object', plan, binding: bound, targets: new Set(type === 'Reference' ? targets : []) }
}

function mandatory(element: ElementStructure): Mandatory {
  const names = [...element.properties.keys()]
  const [type = ''] = element.properties.values()
  const binding = element.binding === undefined ? undefined : bindingOf(element.binding)
  const written =
    names.length > 1 ? ` as ${names.join(' or ')}` : `, ${binding ? `one of ${binding.allowed}` : `of type ${type}`}`
  return { name: element.name, keys: names.flatMap((name) => [name, `_${name}`]), hint: written }
}

/** A hint for the unknown element `key`. */
export function suggestionFor({ properties }: Plan, key: string): string {
  const all = [...properties.values()].filter(({ content }) => content.kind !== 'sibling')
  const choice = all.find(({ name }) => name === key)?.choice
  if (choice !== undefined) return `it is written with its type: ${abbreviatedList(choice)}`
  const known = all.map((property) => property.key)
  return didYouMean(key, known, `its elements are ${abbreviatedList(known, 40)}`)
}
