/**
 * The tree of a profile: the rules of its snapshot, or where it has a differential only, those of its base with the
 * differential laid over them (https://hl7.org/fhir/R4/profiling.html#snapshot). What R4 itself asks for is left out:
 * every resource is checked for that before.
 */
import type { ElementDefinition, ElementDefinitionType, StructureDefinition } from 'fhir/r4'
import { isObject } from '../fhir/resource.ts'
import { Invariant, isOfCore } from './invariant.ts'
import { coreCanonical, elementsOf, isA, namedByKey } from './item.ts'
import { pruned } from './prune.ts'
import { type BindingRule, copyOf, type Draft, newDraft, type Slicing, type TypeRule } from './shape.ts'

/** Elements of a profile; the largest published ones have two thousand. */
const MAX_ELEMENTS = 10_000
/** Names in a path. */
const MAX_PATH_DEPTH = 40

interface Step {
  readonly name: string
  readonly slice?: string
}

export interface Snapshot {
  readonly root: Draft
  /** What could not be read, in words. */
  readonly problems: readonly string[]
}

/** @param base the tree of the profile that this one narrows; absent: it narrows a type of R4, or brings its snapshot */
export function snapshotOf({ type, snapshot, differential }: StructureDefinition, base?: Draft): Snapshot {
  const elements = snapshot?.element ?? differential?.element ?? []
  const root = base === undefined || snapshot !== undefined ? newDraft(type, type, type) : copyOf(base)
  const problems = new Set<string>()
  if (elements.length > MAX_ELEMENTS) problems.add(`it has ${elements.length} elements; ${MAX_ELEMENTS} are looked at`)
  const slices = new Map<string, string>()
  for (const element of elements.slice(0, MAX_ELEMENTS)) {
    const steps = stepsOf(element, slices)
    if (steps === undefined || steps[0]?.name !== type) {
      problems.add(`the path ${shown(element.path)} is no path in ${type}`)
    } else if (steps.some(({ slice }) => slice?.includes('/') === true)) {
      problems.add(`the slice ${shown(element.sliceName)} of a slice is not looked at`)
    } else {
      lay(element, draftAt(root, steps.slice(1), element.id))
    }
  }
  return { root: pruned(root), problems: [...problems].slice(0, 10) }
}

const shown = (text: unknown): string => JSON.stringify(String(text).slice(0, 64))

/** The id tells in which slices an element is; where it does not fit the path, the elements before do. */
function stepsOf({ id, path, sliceName }: ElementDefinition, slices: Map<string, string>): readonly Step[] | undefined {
  const names = path.split('.')
  if (names.length > MAX_PATH_DEPTH) return undefined
  for (const known of slices.keys()) if (known === path || known.startsWith(`${path}.`)) slices.delete(known)
  if (sliceName !== undefined) slices.set(path, sliceName)
  const told = stepsOfId(id ?? '')
  if (told.length === names.length && told.every(({ name }, index) => name === names[index])) {
    return sliceName === undefined ? told : [...told.slice(0, -1), step(names.at(-1) ?? '', sliceName)]
  }
  return names.map((name, index) => step(name, slices.get(names.slice(0, index + 1).join('.'))))
}

const step = (name: string, slice: string | undefined): Step => (slice === undefined ? { name } : { name, slice })

const stepsOfId = (id: string): readonly Step[] =>
  id.split('.').map((part) => {
    const at = part.indexOf(':')
    return at < 0 ? { name: part } : { name: part.slice(0, at), slice: part.slice(at + 1) }
  })

/** Made where it is not there yet. */
function draftAt(root: Draft, steps: readonly Step[], id: string | undefined): Draft {
  let draft = root
  for (const [index, { name, slice }] of steps.entries()) {
    const ownId = index === steps.length - 1 ? id : undefined
    draft = childAt(draft, name, ownId)
    if (slice !== undefined) draft = sliceAt(draft, slice, ownId)
  }
  return draft
}

function childAt(parent: Draft, written: string, id: string | undefined): Draft {
  const plain = written.replace(/\[x\]$/, '')
  const elements = elementsOf(parent.coreType ?? '')
  const element = elements.get(plain) ?? namedByKey(parent.coreType ?? '').get(plain)
  const name = element?.name ?? plain
  const [type, ...others] = new Set(element?.properties.values())
  const coreType = others.length === 0 ? type : undefined
  const child = parent.children.get(name) ?? newDraft(id ?? `${parent.id}.${written}`, name, coreType)
  parent.children.set(name, child)
  // `Observation.valueQuantity` is short for the slice of value[x] that is a Quantity.
  return name === plain ? child : sliceAt(child, plain, id, element?.properties.get(plain))
}

function sliceAt(draft: Draft, name: string, id: string | undefined, type = typeOfSlice(draft, name)): Draft {
  const known = draft.slices.get(name)
  if (known !== undefined) return known
  const slice = newDraft(id ?? `${draft.id}:${name}`, draft.name, draft.coreType ?? type, name)
  if (draft.coreType === undefined && type !== undefined) slice.types = [{ code: type, profiles: [], targets: [] }]
  draft.slices.set(name, slice)
  return slice
}

/** `valueQuantity` of `value[x]`. */
function typeOfSlice({ name, coreType }: Draft, slice: string): string | undefined {
  if (coreType !== undefined || !slice.startsWith(name)) return undefined
  const type = slice.slice(name.length)
  const primitive = `${type.charAt(0).toLowerCase()}${type.slice(1)}`
  return [primitive, type].find((candidate) => isA(candidate, 'Element') && elementsOf(candidate).size > 0)
}

/** What the element says replaces what its base said; rules are added. */
function lay(element: ElementDefinition, draft: Draft): void {
  draft.min = element.min ?? draft.min
  draft.max = element.max === undefined ? draft.max : Number(element.max.replace('*', 'Infinity'))
  if (Number.isNaN(draft.max)) draft.max = Number.POSITIVE_INFINITY
  draft.maxLength = element.maxLength ?? draft.maxLength
  draft.fixed = valueAt(element, 'fixed') ?? draft.fixed
  draft.pattern = valueAt(element, 'pattern') ?? draft.pattern
  draft.minValue = valueAt(element, 'minValue') ?? draft.minValue
  draft.maxValue = valueAt(element, 'maxValue') ?? draft.maxValue
  draft.slicing = slicingOf(element) ?? draft.slicing
  if (element.type !== undefined && element.path.includes('.')) layTypes(element.type, draft)
  const bindings = bindingsOf(element)
  if (bindings.length > 0) draft.bindings = bindings
  const own = (element.constraint ?? []).filter((constraint) => !isOfCore(constraint))
  const keys = new Set(own.map(({ key }) => key))
  draft.invariants = [...draft.invariants.filter(({ key }) => !keys.has(key)), ...own.map((one) => new Invariant(one))]
}

/** `fixedUri`, `patternCodeableConcept`: of any type. */
function valueAt(element: ElementDefinition, prefix: string): unknown {
  const key = Object.keys(element).find((name) => name.startsWith(prefix) && /^[A-Z]/.test(name.slice(prefix.length)))
  return key === undefined ? undefined : (element as unknown as Record<string, unknown>)[key]
}

function layTypes(types: readonly ElementDefinitionType[], draft: Draft): void {
  const rules = types.map(typeRule)
  draft.types = rules.some(({ code }) => code.startsWith('http://hl7.org/fhirpath/')) ? undefined : rules
  const [only, ...others] = rules
  const isOpen = draft.coreType === undefined || draft.coreType === 'Resource'
  if (isOpen && only !== undefined && others.length === 0) draft.coreType = only.code
}

const typeRule = ({ code, profile = [], targetProfile = [] }: ElementDefinitionType): TypeRule => ({
  code: code.startsWith(coreCanonical('')) ? code.slice(coreCanonical('').length) : code,
  profiles: profile,
  targets: targetProfile,
})

function slicingOf({ slicing }: ElementDefinition): Slicing | undefined {
  if (slicing === undefined) return undefined
  const { discriminator = [], rules = 'open', ordered = false } = slicing
  return { discriminators: discriminator, rules, ordered }
}

const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet'

/** Preferred and example bindings ask for nothing; a maximum value set is a required one beside another binding. */
function bindingsOf({ binding }: ElementDefinition): readonly BindingRule[] {
  const { strength, valueSet, extension = [] } = binding ?? {}
  const most = extension.find(({ url }) => url === MAX_VALUE_SET)
  const maximum = most?.valueCanonical ?? most?.valueUri
  return [
    ...(valueSet !== undefined && isAsked(strength) ? [{ strength, valueSet }] : []),
    ...(maximum === undefined ? [] : [{ strength: 'required' as const, valueSet: maximum }]),
  ]
}

const isAsked = (strength: unknown): strength is BindingRule['strength'] =>
  strength === 'required' || strength === 'extensible'

/** `Observation` of a StructureDefinition that narrows a type; undefined for what is no profile. */
export const isProfile = (definition: unknown): definition is StructureDefinition =>
  isObject(definition) &&
  definition['resourceType'] === 'StructureDefinition' &&
  definition['derivation'] === 'constraint' &&
  typeof definition['type'] === 'string'
