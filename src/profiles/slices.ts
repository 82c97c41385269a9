/** Which slice of a sliced element an item is in: https://hl7.org/fhir/R4/profiling.html#discriminator. */
import { canonicalOf } from '../terminology/canonical.ts'
import { membershipOf } from './codes.ts'
import { quoted } from './findings.ts'
import { childrenOf, coreType, type Item, isA, isTyped } from './item.ts'
import type { Knowledge } from './knowledge.ts'
import type { Discriminator, Shape, TypeRule } from './shape.ts'
import { type Target, targetOf } from './targets.ts'
import { fits, isEqual } from './values.ts'

/** What telling slices apart needs of the check. */
export interface Teller {
  readonly knowledge: Knowledge
  /** Whether the item keeps to one of the profiles, without saying why not. */
  readonly conforms: (item: Item, profiles: readonly string[]) => boolean
  /** Counts the work. */
  readonly step: () => void
}

/** A step of a discriminator's path, which is a small part of FHIRPath. */
type Step =
  | { readonly kind: 'element'; readonly name: string }
  | { readonly kind: 'extension'; readonly url: string }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'resolve' }

const BY_URL: readonly Discriminator[] = [{ type: 'value', path: 'url' }]
const BY_TYPE: readonly Discriminator[] = [{ type: 'type', path: '$this' }]
const EXTENSIONS: ReadonlySet<string> = new Set(['extension', 'modifierExtension'])

/** Those that the profile names; extensions are told apart by url, and the types of a choice by their name. */
export function discriminatorsOf(shape: Shape): readonly Discriminator[] {
  const named = shape.slicing?.discriminators ?? []
  if (named.length > 0) return named
  if (EXTENSIONS.has(shape.name)) return BY_URL
  return [...shape.slices.values()].every(({ types }) => types !== undefined) ? BY_TYPE : []
}

/** Undefined: it cannot be told, as the slice says nothing where the discriminator looks. */
export function isInSlice(slice: Shape, by: readonly Discriminator[], item: Item, teller: Teller): boolean | undefined {
  let answer: boolean | undefined = by.length === 0 ? undefined : true
  for (const discriminator of by) {
    teller.step()
    const met = isMet(slice, discriminator, item, teller)
    if (met === false) return false
    if (met === undefined) answer = undefined
  }
  return answer
}

function isMet(slice: Shape, { type, path }: Discriminator, item: Item, teller: Teller): boolean | undefined {
  const steps = stepsOf(path)
  if (steps === undefined) return undefined
  switch (type) {
    case 'value':
    case 'pattern':
      return hasValue(slice, steps, item, teller)
    case 'exists':
      return exists(slice, steps, item, teller)
    case 'type':
      return hasType(slice, steps, item, teller)
    case 'profile':
      return hasProfile(slice, steps, item, teller)
    default:
      return undefined
  }
}

const STEP = /^(?:resolve\(\)|extension\(['"]([^'"]+)['"]\)|(?:ofType|as)\((\w+)\)|([A-Za-z]\w*)(?:\[x\])?)$/

/** `$this`, `code.coding`, `value.ofType(Quantity).unit`, `extension('http://…').value`, `resolve()`. */
export function stepsOf(path: string): readonly Step[] | undefined {
  const parts = path.match(/(?:[^.('"]|\([^)]*\))+/g) ?? []
  const steps = parts.filter((part) => part !== '$this').map(stepOf)
  return steps.every((step) => step !== undefined) ? steps : undefined
}

function stepOf(part: string): Step | undefined {
  const found = STEP.exec(part)
  if (found === null) return undefined
  const [, url, type, name] = found
  if (url !== undefined) return { kind: 'extension', url }
  if (type !== undefined) return { kind: 'type', type }
  return name === undefined ? { kind: 'resolve' } : { kind: 'element', name }
}

function hasValue(slice: Shape, steps: readonly Step[], item: Item, teller: Teller): boolean | undefined {
  const urls = urlsOf(slice, steps)
  if (urls.length > 0) {
    const [url] = childrenOf(item, 'url')
    return urls.some((one) => one === url?.value)
  }
  const items = selected([item], steps)
  const told = shapesAt([slice], steps, teller)
    .map((shape) => isIdentified(shape, items, teller))
    .filter((one) => one !== undefined)
  return told.length === 0 ? undefined : told.some(Boolean)
}

/** The url of an extension is that of its profile. */
function urlsOf({ types = [], children }: Shape, steps: readonly Step[]): readonly string[] {
  const [first, ...others] = steps
  const isUrl = others.length === 0 && first?.kind === 'element' && first.name === 'url'
  if (!isUrl || children.has('url')) return []
  return types.flatMap(({ profiles }) => profiles.map((profile) => canonicalOf(profile).url))
}

/** Whether one of the items has the values that the shape asks for; undefined when it asks for none. */
function isIdentified(shape: Shape, items: readonly Item[], teller: Teller): boolean | undefined {
  if (!identifies(shape)) return undefined
  return items.some((item) => hasIdentity(shape, item, teller))
}

function identifies(shape: Shape): boolean {
  if (shape.fixed !== undefined || shape.pattern !== undefined || requiredOf(shape).length > 0) return true
  return partsOf(shape).some(identifies)
}

const requiredOf = ({ bindings }: Shape) => bindings.filter(({ strength }) => strength === 'required')

/** What is in it, slices included. */
const partsOf = ({ children }: Shape): readonly Shape[] =>
  [...children.values()].flatMap((child) => [child, ...child.slices.values()])

function hasIdentity(shape: Shape, item: Item, teller: Teller): boolean {
  teller.step()
  if (shape.fixed !== undefined && !isEqual(item.value, shape.fixed)) return false
  if (shape.pattern !== undefined && !fits(item.value, shape.pattern)) return false
  if (!requiredOf(shape).every(({ valueSet }) => membershipOf(item, valueSet, teller.knowledge)?.is === 'in'))
    return false
  return [...shape.children.values()].every((child) => {
    const told = [child, ...child.slices.values()].filter(identifies)
    const values = told.length === 0 ? [] : childrenOf(item, child.name)
    return told.length === 0 || told.some((one) => values.some((value) => hasIdentity(one, value, teller)))
  })
}

/** By what the slice says of the number of elements at the path. */
function exists(slice: Shape, steps: readonly Step[], item: Item, teller: Teller): boolean | undefined {
  const [shape] = shapesAt([slice], steps, teller)
  const isThere = selected([item], steps).length > 0
  if (shape?.max === 0) return !isThere
  return shape !== undefined && shape.min > 0 ? isThere : undefined
}

function hasType(slice: Shape, steps: readonly Step[], item: Item, teller: Teller): boolean | undefined {
  const isResolved = steps.at(-1)?.kind === 'resolve'
  const asked = shapesAt([slice], isResolved ? steps.slice(0, -1) : steps, teller)
  const rules = asked.flatMap(({ types = [] }) => types)
  if (!isResolved) {
    const found = selected([item], steps)
    return rules.length === 0 ? undefined : found.some(({ type }) => rules.some(({ code }) => isTyped(type, code)))
  }
  const types = rules.flatMap(({ targets }) => targets.flatMap((target) => typeOfTarget(target, teller)))
  const targets = selected([item], steps.slice(0, -1)).flatMap((one) => targetOf(one) ?? [])
  return types.length === 0 ? undefined : targets.some(({ type }) => types.some((one) => isTarget(type, one)))
}

const isTarget = (type: string | undefined, wanted: string): boolean => type !== undefined && isA(type, wanted)

function typeOfTarget(canonical: string, { knowledge }: Teller): readonly string[] {
  const found = knowledge.find(canonical)
  if (found.is === 'type') return [found.type]
  return found.is === 'profile' ? [found.profile.type] : []
}

function hasProfile(slice: Shape, steps: readonly Step[], item: Item, teller: Teller): boolean | undefined {
  const isResolved = steps.at(-1)?.kind === 'resolve'
  const path = isResolved ? steps.slice(0, -1) : steps
  const profilesOf = ({ profiles, targets }: TypeRule) => (isResolved ? targets : profiles)
  const profiles = shapesAt([slice], path, teller).flatMap(({ types = [] }) => types.flatMap(profilesOf))
  if (profiles.length === 0) return undefined
  const found = selected([item], path)
  if (!isResolved) return found.some((one) => teller.conforms(one, profiles))
  return found.some((one) => leadsTo(targetOf(one), profiles, teller))
}

/** Of a resource that is elsewhere only the type is known. */
const leadsTo = (target: Target | undefined, profiles: readonly string[], teller: Teller): boolean => {
  if (target?.item !== undefined) return teller.conforms(target.item, profiles)
  return profiles.some((profile) => typeOfTarget(profile, teller).some((type) => isTarget(target?.type, type)))
}

/** The items that a path leads to. */
function selected(from: readonly Item[], steps: readonly Step[]): readonly Item[] {
  return steps.reduce<readonly Item[]>((items, step) => items.flatMap((item) => taken(item, step)), from)
}

function taken(item: Item, step: Step): readonly Item[] {
  switch (step.kind) {
    case 'element':
      return childrenOf(item, step.name)
    case 'extension':
      return childrenOf(item, 'extension').filter((one) => childrenOf(one, 'url')[0]?.value === step.url)
    case 'type':
      return isA(item.type, step.type) ? [item] : []
    case 'resolve':
      return targetOf(item)?.item === undefined ? [] : [targetOf(item)?.item].filter((one) => one !== undefined)
  }
}

/** What the slice says at the end of a path; profiles that it names on the way are followed. */
function shapesAt(from: readonly Shape[], steps: readonly Step[], teller: Teller): readonly Shape[] {
  return steps.reduce<readonly Shape[]>(
    (shapes, step) => shapes.flatMap((shape) => shapesIn(shape, step, teller)),
    from,
  )
}

function shapesIn(shape: Shape, step: Step, teller: Teller): readonly Shape[] {
  switch (step.kind) {
    case 'element':
      return withSlices(shape.children.get(step.name)) ?? followed(shape, ({ profiles }) => profiles, step.name, teller)
    case 'extension':
      return [...(shape.children.get('extension')?.slices.values() ?? [])].filter((slice) => isOfUrl(slice, step.url))
    case 'type':
      return [...shape.slices.values()]
        .filter(({ types = [] }) => types.some(({ code }) => code === step.type))
        .concat(shape)
    case 'resolve':
      return rootsOf(shape, ({ targets }) => targets, teller)
  }
}

const withSlices = (shape: Shape | undefined): readonly Shape[] | undefined =>
  shape && [shape, ...shape.slices.values()]

const followed = (shape: Shape, by: (rule: TypeRule) => readonly string[], name: string, teller: Teller) =>
  rootsOf(shape, by, teller).flatMap((root) => withSlices(root.children.get(name)) ?? [])

const rootsOf = ({ types = [] }: Shape, by: (rule: TypeRule) => readonly string[], { knowledge }: Teller) =>
  types.flatMap(by).flatMap((canonical) => {
    const found = coreType(canonical) === undefined ? knowledge.find(canonical) : undefined
    return found?.is === 'profile' ? [found.profile.root] : []
  })

const isOfUrl = ({ types = [], children }: Shape, url: string): boolean =>
  children.get('url')?.fixed === url ||
  types.some(({ profiles }) => profiles.some((profile) => canonicalOf(profile).url === url))

/** How an item of the slice looks, for a message: `code = {"coding":[…]}`. */
export function signOf(slice: Shape, by: readonly Discriminator[]): string {
  const signs = by.flatMap(({ path }) => {
    const steps = stepsOf(path) ?? []
    const [url] = urlsOf(slice, steps)
    if (url !== undefined) return [`url = ${quoted(url)}`]
    const shape = steps.reduce<Shape | undefined>(
      (at, step) => (step.kind === 'element' ? at?.children.get(step.name) : undefined),
      slice,
    )
    const value = shape?.fixed ?? shape?.pattern
    return value === undefined ? [] : [`${path} = ${quoted(value)}`]
  })
  return signs.length === 0 ? '' : `, told by ${signs.join(' and ')}`
}
