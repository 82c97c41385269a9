/** The elements of a type, as the snapshot of its StructureDefinition has them. */
import type { ElementDefinition, ElementDefinitionType, StructureDefinition } from 'fhir/r4'

export interface TypeChoice {
  /** `HumanName`, `boolean`, `Reference`, `BackboneElement`. */
  readonly code: string
  /** Types that a Reference may lead to; none: any. */
  readonly targets: readonly string[]
}

/** An element by its name in JSON: a choice is an element for each of its types. */
export interface TypedElement {
  /** `birthDate`, `deceasedBoolean` */
  readonly name: string
  /** `Patient.deceased[x]` */
  readonly path: string
  readonly type: TypeChoice
  readonly min: number
  readonly isMany: boolean
  /** `deceased` of `deceasedBoolean`. */
  readonly choice?: string
  /** The path that has its children, where no type of its own has: `Patient.contact`. */
  readonly within?: string
  readonly binding?: { readonly valueSet: string; readonly isRequired: boolean }
  readonly isSummary: boolean
}

/** A place in a definition: that of a type, or of an element within it. */
export interface Scope {
  readonly definition: StructureDefinition
  /** `Patient`, `Patient.contact` */
  readonly path: string
}

export const scopeOf = (definition: StructureDefinition): Scope => ({ definition, path: definition.type ?? '' })

/** The elements right below a place, in the order of the definition. */
export const elementsIn = ({ definition, path }: Scope): readonly TypedElement[] =>
  (definition.snapshot?.element ?? []).filter((one) => isChild(one, path)).flatMap(typedElements)

const isChild = ({ path: own = '' }: ElementDefinition, path: string): boolean =>
  own.startsWith(`${path}.`) && !own.slice(path.length + 1).includes('.')

function typedElements(element: ElementDefinition): readonly TypedElement[] {
  const { path = '', min = 0, max, contentReference, binding, isSummary = false } = element
  const last = path.slice(path.lastIndexOf('.') + 1)
  const types: readonly ElementDefinitionType[] =
    contentReference === undefined ? (element.type ?? []) : [{ code: 'BackboneElement' }]
  const choice = last.endsWith('[x]') ? last.slice(0, -3) : undefined
  return types.map((type) => ({
    name: choice === undefined ? last : `${choice}${capitalized(type.code ?? '')}`,
    path,
    type: { code: codeOf(type.code), targets: targetsOf(type) },
    min,
    isMany: max !== '1' && max !== '0',
    isSummary,
    ...(choice === undefined ? {} : { choice }),
    ...(isBackbone(type.code) ? { within: contentReference?.slice(1) ?? path } : {}),
    ...(binding?.valueSet === undefined
      ? {}
      : { binding: { valueSet: binding.valueSet, isRequired: binding.strength === 'required' } }),
  }))
}

/** FHIRPath's own types stand for those of `Element.id` and the like. */
const codeOf = (code = ''): string => (code.startsWith('http:') ? 'string' : code)

const targetsOf = (type: ElementDefinitionType): readonly string[] =>
  (type.targetProfile ?? [])
    .map((profile) => (profile ?? '').slice((profile ?? '').lastIndexOf('/') + 1))
    .filter((one) => one !== 'Resource')

const isBackbone = (code: string | undefined): boolean => code === 'BackboneElement' || code === 'Element'

export const capitalized = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

/** Whether values of the type are texts, numbers or booleans. */
export const isPrimitive = (code: string): boolean => /^[a-z]/.test(code)

export interface CodeChoice {
  readonly system?: string | undefined
  readonly code: string
  readonly display?: string | undefined
}

/** Codes of a value set that match the text; none where its codes cannot be listed. */
export type Codes = (valueSet: string, filter?: string) => Promise<readonly CodeChoice[]>

/** Reads definitions; undefined where there is none of the name. */
export type Define = (type: string) => Promise<StructureDefinition | undefined>

/** The place that the children of an element are defined at; undefined for a primitive. */
export async function scopeWithin(scope: Scope, element: TypedElement, define: Define): Promise<Scope | undefined> {
  if (element.within !== undefined) return { definition: scope.definition, path: element.within }
  if (isPrimitive(element.type.code)) return undefined
  const definition = await define(element.type.code)
  return definition && scopeOf(definition)
}
