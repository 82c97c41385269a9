/** Which slice of a sliced element an item is in: https://hl7.org/fhir/R4/profiling.html#discriminator. */
import { canonicalOf } from '../terminology/canonical.ts'
import { membershipOf } from './codes.ts'
import { type Step, selected, shapesAt, stepsOf } from './discriminator-path.ts'
import { quoted } from './findings.ts'
import { childrenOf, type Item, isA, isTyped } from './item.ts'
import type { Knowledge } from './known-definitions.ts'
import type { Discriminator, Shape, TypeRule } from './shape.ts'
import { type Target, targetOf } from './targets.ts'
import { fits, isEqual } from './values.ts'

/** What telling slices apart needs of the check. */
export interface Teller {
  readonly knowledge: Knowledge
  /** Whether the item keeps to one of the profiles, without saying why not. */
  readonly conforms: (item: Item, profiles: readonly string[]) => boolean
  /** Counts the work. @throws OutOfWork */
  readonly step: () => void
}

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
