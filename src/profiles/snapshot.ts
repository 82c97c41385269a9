/**
 * Builds the tree of a profile from its snapshot or, without one, from its base and the differential
 * (https://hl7.org/fhir/R4/profiling.html#snapshot). Rules of R4 itself are left out, as every resource is validated
 * against R4 before.
 */
import type { ElementDefinition, ElementDefinitionType, StructureDefinition } from 'fhir/r4'
import { type ElementStructure, elementsByKey, elementsByName, typeHierarchy } from '../fhir/definitions.ts'
import { isObject, valuesIn } from '../fhir/resource.ts'
import { Meter } from '../isolation/budget.ts'
import { Invariant, isCoreConstraint } from './invariant.ts'
import { type BindingRule, copyOf, type Draft, newDraft, type Slicing, type TypeRule } from './shape.ts'
import { coreCanonical, isA } from './typed-element.ts'

/** Per profile; the largest published ones have two thousand. */
const MAX_ELEMENTS = 10_000
/** Steps to compile an element, and for each slice that it may belong to. */
const STEPS_PER_ELEMENT = 20
const STEPS_PER_SLICE = 0.02

const meter = new Meter('compiling its profiles')

/** Names in a path. */
const MAX_PATH_DEPTH = 40

interface PathSegment {
  readonly name: string
  readonly slice?: string
}

export interface Snapshot {
  readonly root: Draft
  /** The parts that could not be read, in words. */
  readonly problems: readonly string[]
}

/** @param base the tree of the base profile; absent when the base is a type of R4 or there is a snapshot. @throws BudgetError */
export function snapshotOf({ type = '', snapshot, differential }: StructureDefinition, base?: Draft): Snapshot {
  const elements = snapshot?.element ?? differential?.element ?? []
  const root = base === undefined || snapshot !== undefined ? newDraft(type, type, type) : copyOf(base)
  const problems = new Set<string>()
  if (elements.length > MAX_ELEMENTS) problems.add(`it has ${elements.length} elements; only ${MAX_ELEMENTS} are used`)
  const slices = new Map<string, string>()
  for (const element of elements.slice(0, MAX_ELEMENTS)) {
    meter.pay(STEPS_PER_ELEMENT + slices.size * STEPS_PER_SLICE)
    const segments = segmentsOf(element, slices)
    if (segments === undefined || segments[0]?.name !== type) {
      problems.add(`the path ${shown(element.path)} is not a path in ${type}`)
    } else if (segments.some(({ slice }) => slice?.includes('/') === true)) {
      problems.add(`the slice ${shown(element.sliceName)} of a slice is not looked at`)
    } else {
      applyElement(element, draftAt(root, segments.slice(1), element.id))
    }
  }
  return { root: pruned(root), problems: [...problems].slice(0, 10) }
}

const shown = (text: unknown): string => JSON.stringify(String(text).slice(0, 64))

/** Slices are given by the id or, when it does not match the path, by the preceding elements. */
function segmentsOf(
  { id, path = '', sliceName }: ElementDefinition,
  slices: Map<string, string>,
): readonly PathSegment[] | undefined {
  const names = path.split('.')
  if (names.length > MAX_PATH_DEPTH) return undefined
  for (const known of slices.keys()) if (known === path || known.startsWith(`${path}.`)) slices.delete(known)
  if (sliceName !== undefined) slices.set(path, sliceName)
  const byId = segmentsOfId(id ?? '')
  if (byId.length === names.length && byId.every(({ name }, index) => name === names[index])) {
    return sliceName === undefined ? byId : [...byId.slice(0, -1), segment(names.at(-1) ?? '', sliceName)]
  }
  return names.map((name, index) => segment(name, slices.get(names.slice(0, index + 1).join('.'))))
}

const segment = (name: string, slice: string | undefined): PathSegment =>
  slice === undefined ? { name } : { name, slice }

const segmentsOfId = (id: string): readonly PathSegment[] =>
  id.split('.').map((part) => {
    const at = part.indexOf(':')
    return at < 0 ? { name: part } : { name: part.slice(0, at), slice: part.slice(at + 1) }
  })

/** The draft at a path, created when missing. */
function draftAt(root: Draft, segments: readonly PathSegment[], id: string | undefined): Draft {
  let draft = root
  for (const [index, { name, slice }] of segments.entries()) {
    const ownId = index === segments.length - 1 ? id : undefined
    draft = childAt(draft, name, ownId)
    if (slice !== undefined) draft = sliceAt(draft, slice, ownId)
  }
  return draft
}

function childAt(parent: Draft, written: string, id: string | undefined): Draft {
  const plain = written.replace(/\[x\]$/, '')
  const elements = elementsByName(parent.coreType ?? '')
  const element = elements.get(plain) ?? elementsByKey(parent.coreType ?? '').get(plain)
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
  return [primitive, type].find((candidate) => isA(candidate, 'Element') && elementsByName(candidate).size > 0)
}

/** Applies an element definition: its values replace those of the base, its constraints are added. */
function applyElement(element: ElementDefinition, draft: Draft): void {
  draft.min = element.min ?? draft.min
  draft.max = element.max === undefined ? draft.max : Number(element.max.replace('*', 'Infinity'))
  if (Number.isNaN(draft.max)) draft.max = Number.POSITIVE_INFINITY
  draft.maxLength = element.maxLength ?? draft.maxLength
  draft.fixed = valueAt(element, 'fixed') ?? draft.fixed
  draft.pattern = valueAt(element, 'pattern') ?? draft.pattern
  draft.minValue = valueAt(element, 'minValue') ?? draft.minValue
  draft.maxValue = valueAt(element, 'maxValue') ?? draft.maxValue
  draft.slicing = slicingOf(element) ?? draft.slicing
  if (element.type !== undefined && element.path?.includes('.')) applyTypes(element.type, draft)
  const bindings = bindingsOf(element)
  if (bindings.length > 0) draft.bindings = bindings
  const own = (element.constraint ?? []).filter((constraint) => !isCoreConstraint(constraint))
  const keys = new Set(own.map(({ key }) => key))
  draft.invariants = [...draft.invariants.filter(({ key }) => !keys.has(key)), ...own.map((one) => new Invariant(one))]
}

/** The value of `fixed[x]`, `pattern[x]` and the like. */
function valueAt(element: ElementDefinition, prefix: string): unknown {
  const key = Object.keys(element).find((name) => name.startsWith(prefix) && /^[A-Z]/.test(name.slice(prefix.length)))
  return key === undefined ? undefined : (element as unknown as Record<string, unknown>)[key]
}

function applyTypes(types: readonly ElementDefinitionType[], draft: Draft): void {
  const rules = types.map(typeRule)
  draft.types = rules.some(({ code }) => code.startsWith('http://hl7.org/fhirpath/')) ? undefined : rules
  const [only, ...others] = rules
  const isOpen = draft.coreType === undefined || draft.coreType === 'Resource'
  if (isOpen && only !== undefined && others.length === 0) draft.coreType = only.code
}

const typeRule = ({ code = '', profile, targetProfile }: ElementDefinitionType): TypeRule => ({
  code: code.startsWith(coreCanonical('')) ? code.slice(coreCanonical('').length) : code,
  profiles: valuesIn(profile),
  targets: valuesIn(targetProfile),
})

function slicingOf({ slicing }: ElementDefinition): Slicing | undefined {
  if (slicing === undefined) return undefined
  const { discriminator = [], rules = 'open', ordered = false } = slicing
  const discriminators = discriminator.flatMap(({ type, path }) =>
    type === undefined || path === undefined ? [] : [{ type, path }],
  )
  return { discriminators, rules, ordered }
}

const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet'

/** Preferred and example bindings are not enforced; a maximum value set acts as an additional required binding. */
function bindingsOf({ binding }: ElementDefinition): readonly BindingRule[] {
  const { strength, valueSet, extension = [] } = binding ?? {}
  const maxValueSet = extension.find(({ url }) => url === MAX_VALUE_SET)
  const maximum = maxValueSet?.valueCanonical ?? maxValueSet?.valueUri
  return [
    ...(valueSet !== undefined && isEnforced(strength) ? [{ strength, valueSet }] : []),
    ...(maximum === undefined ? [] : [{ strength: 'required' as const, valueSet: maximum }]),
  ]
}

const isEnforced = (strength: unknown): strength is BindingRule['strength'] =>
  strength === 'required' || strength === 'extensible'

/** Whether the resource is a profile: a StructureDefinition that constrains a type. */
export const isProfile = (definition: unknown): definition is StructureDefinition =>
  isObject(definition) &&
  definition['resourceType'] === 'StructureDefinition' &&
  definition['derivation'] === 'constraint' &&
  typeof definition['type'] === 'string'

/**
 * Removes the rules that R4 has anyway, so that only elements with additional rules are checked. Prunes the draft in
 * place and returns it.
 */
function pruned(root: Draft): Draft {
  pruneChildren(root)
  return root
}

function pruneChildren(draft: Draft): void {
  for (const [name, child] of draft.children) {
    const element = elementsByName(draft.coreType ?? '').get(name)
    if (element !== undefined) pruneRules(child, element)
    pruneChildren(child)
    for (const slice of child.slices.values()) pruneChildren(slice)
    if (!hasRules(child)) draft.children.delete(name)
  }
}

function pruneRules(draft: Draft, { min, max, binding, properties, targets }: ElementStructure): void {
  if (draft.min <= min) draft.min = 0
  if (draft.max >= max) draft.max = Number.POSITIVE_INFINITY
  draft.bindings = draft.bindings.filter((rule) => !isSame(rule, binding))
  const { types } = draft
  const covers = [...properties.values()].every(
    (type) => types?.some(({ code }) => typeHierarchy(type).includes(code)) === true,
  )
  if (covers && types?.every((rule) => isPlain(rule, targets)) === true) draft.types = undefined
}

const isSame = ({ strength, valueSet }: BindingRule, binding: string | undefined): boolean =>
  strength === 'required' && valueSet.split('|', 1)[0] === binding

/** Whether the type rule allows all profiles and reference targets that R4 allows. */
const isPlain = ({ profiles, targets }: TypeRule, core: readonly string[]): boolean =>
  profiles.length === 0 &&
  (targets.length === 0 ||
    (core.length === 0 ? ['Resource'] : core).every((type) => targets.includes(coreCanonical(type))))

const hasRules = (draft: Draft): boolean =>
  draft.min > 0 ||
  draft.max !== Number.POSITIVE_INFINITY ||
  draft.types !== undefined ||
  draft.bindings.length > 0 ||
  draft.invariants.length > 0 ||
  draft.children.size > 0 ||
  draft.slices.size > 0 ||
  draft.slicing?.rules === 'closed' ||
  [draft.fixed, draft.pattern, draft.maxLength, draft.minValue, draft.maxValue].some((rule) => rule !== undefined)
