/**
 * The slices of an element: https://hl7.org/fhir/R4/profiling.html#slicing. Their discriminators have paths in a small
 * subset of FHIRPath: https://hl7.org/fhir/R4/profiling.html#discriminator.
 */

import { memoize } from '../fhir/memoize.ts'
import { canonicalOf } from '../terminology/canonical.ts'
import { quoted } from './findings.ts'
import type { KnownDefinitions } from './known-definitions.ts'
import type { Discriminator, Shape, TypeRule } from './shape.ts'
import { childElements, coreType, hasTypeCode, isA, type Target, type TypedElement, targetOf } from './typed-element.ts'
import { checkBinding, fits, isEqual } from './values.ts'

const BY_URL: readonly Discriminator[] = [{ type: 'value', path: 'url' }]
const BY_TYPE: readonly Discriminator[] = [{ type: 'type', path: '$this' }]
const EXTENSIONS: ReadonlySet<string> = new Set(['extension', 'modifierExtension'])

/** The discriminators of the profile; by default, extensions are discriminated by url and choices by type. */
export function discriminatorsOf(shape: Shape): readonly Discriminator[] {
  const named = shape.slicing?.discriminators ?? []
  if (named.length > 0) return named
  if (EXTENSIONS.has(shape.name)) return BY_URL
  return [...shape.slices.values()].every(({ types }) => types !== undefined) ? BY_TYPE : []
}

/** Undefined when it cannot be determined, as the slice has no rule at the path of a discriminator. */
export function isInSlice(
  slice: Shape,
  by: readonly Discriminator[],
  item: TypedElement,
  context: CheckContext,
): boolean | undefined {
  let result: boolean | undefined = by.length === 0 ? undefined : true
  for (const discriminator of by) {
    context.step()
    const met = matchesDiscriminator(slice, discriminator, item, context)
    if (met === false) return false
    if (met === undefined) result = undefined
  }
  return result
}

function matchesDiscriminator(
  slice: Shape,
  { type, path }: Discriminator,
  item: TypedElement,
  context: CheckContext,
): boolean | undefined {
  const steps = parseDiscriminatorPath(path)
  if (steps === undefined) return undefined
  switch (type) {
    case 'value':
    case 'pattern':
      return hasValue(slice, steps, item, context)
    case 'exists':
      return exists(slice, steps, item, context)
    case 'type':
      return hasType(slice, steps, item, context)
    case 'profile':
      return hasProfile(slice, steps, item, context)
    default:
      return undefined
  }
}

function hasValue(
  slice: Shape,
  steps: readonly DiscriminatorStep[],
  item: TypedElement,
  context: CheckContext,
): boolean | undefined {
  const urls = urlsOf(slice, steps)
  if (urls.length > 0) {
    const [url] = childElements(item, 'url')
    return urls.some((one) => one === url?.value)
  }
  const items = select([item], steps)
  const matches = shapesAt([slice], steps, context)
    .map((shape) => isIdentified(shape, items, context))
    .filter((one) => one !== undefined)
  return matches.length === 0 ? undefined : matches.some(Boolean)
}

/** The urls of an extension slice, given by its profiles. */
function urlsOf({ types = [], children }: Shape, steps: readonly DiscriminatorStep[]): readonly string[] {
  const [first, ...others] = steps
  const isUrl = others.length === 0 && first?.kind === 'element' && first.name === 'url'
  if (!isUrl || children.has('url')) return []
  return types.flatMap(({ profiles }) => profiles.map((profile) => canonicalOf(profile).url))
}

/** Whether any item has the values that the shape requires; undefined when it requires none. */
function isIdentified(shape: Shape, items: readonly TypedElement[], context: CheckContext): boolean | undefined {
  if (!identifies(shape)) return undefined
  return items.some((item) => hasIdentity(shape, item, context))
}

function identifies(shape: Shape): boolean {
  if (shape.fixed !== undefined || shape.pattern !== undefined || requiredOf(shape).length > 0) return true
  return childShapes(shape).some(identifies)
}

const requiredOf = ({ bindings }: Shape) => bindings.filter(({ strength }) => strength === 'required')

/** The children, including their slices. */
const childShapes = ({ children }: Shape): readonly Shape[] =>
  [...children.values()].flatMap((child) => [child, ...child.slices.values()])

function hasIdentity(shape: Shape, item: TypedElement, context: CheckContext): boolean {
  context.step()
  if (shape.fixed !== undefined && !isEqual(item.value, shape.fixed)) return false
  if (shape.pattern !== undefined && !fits(item.value, shape.pattern)) return false
  if (!requiredOf(shape).every(({ valueSet }) => checkBinding(item, valueSet, context.definitions)?.kind === 'in'))
    return false
  return [...shape.children.values()].every((child) => {
    const identifying = [child, ...child.slices.values()].filter(identifies)
    const values = identifying.length === 0 ? [] : childElements(item, child.name)
    return (
      identifying.length === 0 || identifying.some((one) => values.some((value) => hasIdentity(one, value, context)))
    )
  })
}

/** Decided by the cardinality of the slice at the path. */
function exists(
  slice: Shape,
  steps: readonly DiscriminatorStep[],
  item: TypedElement,
  context: CheckContext,
): boolean | undefined {
  const [shape] = shapesAt([slice], steps, context)
  const isThere = select([item], steps).length > 0
  if (shape?.max === 0) return !isThere
  return shape !== undefined && shape.min > 0 ? isThere : undefined
}

function hasType(
  slice: Shape,
  steps: readonly DiscriminatorStep[],
  item: TypedElement,
  context: CheckContext,
): boolean | undefined {
  const isResolved = steps.at(-1)?.kind === 'resolve'
  const shapes = shapesAt([slice], isResolved ? steps.slice(0, -1) : steps, context)
  const rules = shapes.flatMap(({ types = [] }) => types)
  if (!isResolved) {
    const found = select([item], steps)
    return rules.length === 0 ? undefined : found.some(({ type }) => rules.some(({ code }) => hasTypeCode(type, code)))
  }
  const types = rules.flatMap(({ targets }) => targets.flatMap((target) => typeOfTarget(target, context)))
  const targets = select([item], steps.slice(0, -1)).flatMap((one) => targetOf(one) ?? [])
  return types.length === 0 ? undefined : targets.some(({ type }) => types.some((one) => isTarget(type, one)))
}

const isTarget = (type: string | undefined, allowed: string): boolean => type !== undefined && isA(type, allowed)

function typeOfTarget(canonical: string, { definitions }: CheckContext): readonly string[] {
  const found = definitions.find(canonical)
  if (found.kind === 'type') return [found.type]
  return found.kind === 'profile' ? [found.profile.type] : []
}

function hasProfile(
  slice: Shape,
  steps: readonly DiscriminatorStep[],
  item: TypedElement,
  context: CheckContext,
): boolean | undefined {
  const isResolved = steps.at(-1)?.kind === 'resolve'
  const path = isResolved ? steps.slice(0, -1) : steps
  const profilesOf = ({ profiles, targets }: TypeRule) => (isResolved ? targets : profiles)
  const profiles = shapesAt([slice], path, context).flatMap(({ types = [] }) => types.flatMap(profilesOf))
  if (profiles.length === 0) return undefined
  const found = select([item], path)
  if (!isResolved) return found.some((one) => context.conforms(one, profiles))
  return found.some((one) => refersTo(targetOf(one), profiles, context))
}

/** Only the type is checked when the resource is not available. */
const refersTo = (target: Target | undefined, profiles: readonly string[], context: CheckContext): boolean => {
  if (target?.item !== undefined) return context.conforms(target.item, profiles)
  return profiles.some((profile) => typeOfTarget(profile, context).some((type) => isTarget(target?.type, type)))
}

/** The values by which a slice is recognized, for a message: `code = {"coding":[…]}`. */
export function describeDiscriminators(slice: Shape, by: readonly Discriminator[]): string {
  const values = by.flatMap(({ path }) => {
    const steps = parseDiscriminatorPath(path) ?? []
    const [url] = urlsOf(slice, steps)
    if (url !== undefined) return [`url = ${quoted(url)}`]
    const shape = steps.reduce<Shape | undefined>(
      (at, step) => (step.kind === 'element' ? at?.children.get(step.name) : undefined),
      slice,
    )
    const value = shape?.fixed ?? shape?.pattern
    return value === undefined ? [] : [`${path} = ${quoted(value)}`]
  })
  return values.length === 0 ? '' : `, identified by ${values.join(' and ')}`
}

interface MisplacedItem {
  readonly item: TypedElement
  /** Continues a sentence that begins with the path of the item. */
  readonly message: string
}

/**
 * https://hl7.org/fhir/R4/profiling.html#slicing: items that violate the order or the closedness of the slicing.
 * @param sliceOf the slice of each item
 */
export function* misplacedItems(
  { slicing, slices }: Shape,
  items: readonly TypedElement[],
  sliceOf: readonly (Shape | undefined)[],
): Generator<MisplacedItem> {
  const order = new Map(Array.from(slices.values(), (slice, index) => [slice, index]))
  const names = [...slices.keys()].join(', ')
  let last = -1
  let hasOther = false
  for (const [index, item] of items.entries()) {
    const slice = sliceOf[index]
    if (slice === undefined) {
      hasOther = true
      if (slicing?.rules === 'closed')
        yield { item, message: `is in none of the slices ${names || 'of the profile'}, and others are not allowed` }
      continue
    }
    if (hasOther && slicing?.rules === 'openAtEnd')
      yield { item, message: `is of the slice ${slice.sliceName}, which must come before items that are in no slice` }
    const at = order.get(slice) ?? 0
    if (slicing?.ordered === true && at < last)
      yield { item, message: `is of the slice ${slice.sliceName}, but the slices must come in the order ${names}` }
    last = Math.max(last, at)
  }
}

/** The parts of the check that discriminators use. */
export interface CheckContext {
  readonly definitions: KnownDefinitions
  /** Whether the item conforms to any of the profiles; reports no issues. */
  readonly conforms: (item: TypedElement, profiles: readonly string[]) => boolean
  /** Counts the work. @throws WorkLimitExceeded */
  readonly step: () => void
}

export type DiscriminatorStep =
  | { readonly kind: 'element'; readonly name: string }
  | { readonly kind: 'extension'; readonly url: string }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'resolve' }

/** In characters. */
const MAX_PATH_LENGTH = 500
/** Cached paths: each would be parsed again for every item of a sliced element. */
const MAX_PATHS_KEPT = 1_000
const STEP = /^(?:resolve\(\)|extension\(['"]([^'"]+)['"]\)|(?:ofType|as)\((\w+)\)|([A-Za-z]\w*)(?:\[x\])?)$/

/**
 * Parses `$this`, `code.coding`, `value.ofType(Quantity).unit`, `extension('http://…').value`, `resolve()`; undefined
 * when not supported.
 */
const parseDiscriminatorPath = memoize(MAX_PATHS_KEPT, parsed)

function parsed(path: string): readonly DiscriminatorStep[] | undefined {
  if (path.length > MAX_PATH_LENGTH) return undefined
  const parts = path.match(/(?:[^.('"]|\([^)]*\))+/g) ?? []
  const steps = parts.filter((part) => part !== '$this').map(stepOf)
  return steps.every((step) => step !== undefined) ? steps : undefined
}

function stepOf(part: string): DiscriminatorStep | undefined {
  const found = STEP.exec(part)
  if (found === null) return undefined
  const [, url, type, name] = found
  if (url !== undefined) return { kind: 'extension', url }
  if (type !== undefined) return { kind: 'type', type }
  return name === undefined ? { kind: 'resolve' } : { kind: 'element', name }
}

/** The elements that a path selects. */
function select(from: readonly TypedElement[], steps: readonly DiscriminatorStep[]): readonly TypedElement[] {
  return steps.reduce<readonly TypedElement[]>((items, step) => items.flatMap((item) => follow(item, step)), from)
}

function follow(item: TypedElement, step: DiscriminatorStep): readonly TypedElement[] {
  switch (step.kind) {
    case 'element':
      return childElements(item, step.name)
    case 'extension':
      return childElements(item, 'extension').filter((one) => childElements(one, 'url')[0]?.value === step.url)
    case 'type':
      return isA(item.type, step.type) ? [item] : []
    case 'resolve': {
      const resource = targetOf(item)?.item
      return resource === undefined ? [] : [resource]
    }
  }
}

/** The shapes that apply at the end of a path, following the profiles named along the way. */
function shapesAt(
  from: readonly Shape[],
  steps: readonly DiscriminatorStep[],
  context: CheckContext,
): readonly Shape[] {
  return steps.reduce<readonly Shape[]>(
    // Without duplicates: profiles that refer to each other would double the list at every step.
    (shapes, step) => [...new Set(shapes.flatMap((shape) => shapesIn(shape, step, context)))],
    from,
  )
}

function shapesIn(shape: Shape, step: DiscriminatorStep, context: CheckContext): readonly Shape[] {
  context.step()
  switch (step.kind) {
    case 'element':
      return (
        withSlices(shape.children.get(step.name)) ?? followed(shape, ({ profiles }) => profiles, step.name, context)
      )
    case 'extension':
      return [...(shape.children.get('extension')?.slices.values() ?? [])].filter((slice) => isOfUrl(slice, step.url))
    case 'type':
      return [...shape.slices.values()]
        .filter(({ types = [] }) => types.some(({ code }) => code === step.type))
        .concat(shape)
    case 'resolve':
      return rootsOf(shape, ({ targets }) => targets, context)
  }
}

const withSlices = (shape: Shape | undefined): readonly Shape[] | undefined =>
  shape && [shape, ...shape.slices.values()]

const followed = (shape: Shape, by: (rule: TypeRule) => readonly string[], name: string, context: CheckContext) =>
  rootsOf(shape, by, context).flatMap((root) => withSlices(root.children.get(name)) ?? [])

const rootsOf = ({ types = [] }: Shape, by: (rule: TypeRule) => readonly string[], context: CheckContext) =>
  types.flatMap(by).flatMap((canonical) => {
    const found = coreType(canonical) === undefined ? context.definitions.find(canonical) : undefined
    return found?.kind === 'profile' ? [found.profile.root] : []
  })

const isOfUrl = ({ types = [], children }: Shape, url: string): boolean =>
  children.get('url')?.fixed === url ||
  types.some(({ profiles }) => profiles.some((profile) => canonicalOf(profile).url === url))
