/**
 * Tests whether a resource in memory matches a condition, such as one that a transaction is about to write, and that is
 * not in the store yet. `plan.ts` defines the conditions; the engines compile the same ones.
 */
import { circleAround, type GeoPoint, haversineOf } from '../fhir/great-circle.ts'
import { INNER_ID, isInner, resourceTypeOf } from './inner.ts'
import { type Condition, type IndexEntry, isBeginning, type RangeBounds } from './plan.ts'

export interface Candidate {
  readonly type: string
  readonly id: string
  /** Milliseconds since 1970 UTC. */
  readonly lastUpdated: number
  readonly entries: readonly IndexEntry[]
}

/**
 * True when the candidate matches. References to other resources are not followed: a chained condition matches only
 * resources that the candidate contains.
 */
export function matches(condition: Condition, candidate: Candidate): boolean {
  switch (condition.kind) {
    case 'any':
      return condition.of.some((part) => matches(part, candidate))
    case 'all':
      return condition.of.every((part) => matches(part, candidate))
    case 'not':
      return !matches(condition.of, candidate)
    case 'unequal':
      return candidate.entries.some((entry) => isComparable(condition.of, entry) && !matchesEntry(condition.of, entry))
    case 'id':
      return idsOf(candidate).some((id) => condition.ids.includes(id))
    case 'type':
      return condition.types.includes(resourceTypeOf(candidate.type))
    case 'lastUpdated':
      return isWithin(condition.bounds, candidate.lastUpdated, candidate.lastUpdated)
    case 'missing':
      return candidate.entries.some(({ param }) => param === condition.param) !== condition.missing
    case 'chain':
      // A resource with a canonical url is never contained.
      return (
        condition.canonical !== true &&
        innerTargets(condition, candidate).some((inner) => matches(condition.where, inner))
      )
    case 'has':
      return false
    case 'string':
    case 'words':
    case 'token':
    case 'token-part':
    case 'reference':
    case 'uri':
    case 'date':
    case 'number':
    case 'quantity':
    case 'position':
    case 'composite':
      return candidate.entries.some((entry) => matchesEntry(condition, entry))
  }
}

/** Whether a condition depends on other resources, so that the resource alone cannot be checked. */
export function leavesResource(condition: Condition): boolean {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return condition.of.some(leavesResource)
    case 'not':
      return leavesResource(condition.of)
    default:
      return condition.kind === 'chain' || condition.kind === 'has'
  }
}

/** The id of the candidate; for an inner resource, its id within the container, if it has one. */
function idsOf({ type, id, entries }: Candidate): readonly string[] {
  if (!isInner(type)) return [id]
  return entries.flatMap((entry) => (entry.kind === 'uri' && entry.param === INNER_ID ? entry.value : []))
}

/** The resources within the candidate to which it refers by the chain's parameter. */
function innerTargets({ param, types }: Extract<Condition, { kind: 'chain' }>, candidate: Candidate) {
  const { entries, lastUpdated } = candidate
  const referred = new Set(
    entries.flatMap((entry) => (entry.kind === 'reference' && entry.param === param ? entry.id : [])),
  )
  return entries.flatMap((entry): readonly Candidate[] => {
    const isTarget = entry.kind === 'inner' && types.includes(resourceTypeOf(entry.type)) && referred.has(entry.id)
    if (!isTarget) return []
    // Resources within the same container can refer to each other.
    const others = entries.filter(({ kind }) => kind === 'inner')
    return [{ type: entry.type, id: entry.id, lastUpdated, entries: [...entry.entries, ...others] }]
  })
}

/** A condition on one value. */
type ValueCondition = Extract<Condition, { kind: IndexEntry['kind'] | 'token-part' }>

const isComparable = (condition: ValueCondition, entry: IndexEntry): boolean =>
  entry.kind === condition.kind && entry.param === condition.param

function matchesEntry(condition: ValueCondition, entry: IndexEntry): boolean {
  if (entry.param !== condition.param) return false
  switch (condition.kind) {
    case 'string':
      return entry.kind === 'string' && matchesString(condition, entry)
    case 'words':
      return entry.kind === 'words' && entry.words.split(' ').some((word) => matchesWord(condition, word))
    case 'token':
      return entry.kind === 'token' && matchesCoding(condition, entry)
    case 'token-part':
      return entry.kind === 'token' && matchesPart(condition, entry.code)
    case 'reference':
      return entry.kind === 'reference' && matchesReference(condition, entry)
    case 'uri':
      return entry.kind === 'uri' && matchesUri(condition, entry.value)
    case 'date':
    case 'number':
      return entry.kind === condition.kind && isWithin(condition.bounds, entry.low, entry.high)
    case 'quantity':
      return (
        entry.kind === 'quantity' &&
        isWithin(condition.bounds, entry.low, entry.high) &&
        matchesCoding(condition, entry)
      )
    case 'position':
      return entry.kind === 'position' && isNear(condition, entry)
    case 'composite':
      return entry.kind === 'composite' && matchesParts(condition, entry)
  }
}

function isNear(condition: Extract<Condition, { kind: 'position' }>, place: GeoPoint): boolean {
  const { center, haversine } = circleAround(condition, condition.distance)
  return haversineOf(center, place) <= haversine
}

/** Each part of the condition matches the value in the same place. */
const matchesParts = (
  { parts }: Extract<Condition, { kind: 'composite' }>,
  entry: Extract<IndexEntry, { kind: 'composite' }>,
): boolean =>
  parts.every((part, index) => {
    const value = entry.parts[index]
    return value !== undefined && matchesEntry(part, value)
  })

/** True when system and code match, of a token or of the unit of a quantity. */
const matchesCoding = (
  condition: { readonly system?: string; readonly code?: string },
  entry: { readonly system: string; readonly code: string },
): boolean =>
  (condition.system === undefined || condition.system === entry.system) &&
  (condition.code === undefined || condition.code === entry.code)

const matchesPart = ({ match, value }: Extract<Condition, { kind: 'token-part' }>, code: string): boolean =>
  match === 'prefix' ? code.startsWith(value) : code.endsWith(value)

function matchesString(
  { match, value }: Extract<Condition, { kind: 'string' }>,
  { folded, exact }: Extract<IndexEntry, { kind: 'string' }>,
): boolean {
  switch (match) {
    case 'exact':
      return exact === value
    case 'prefix':
      return folded.startsWith(value)
    case 'contains':
      return folded.includes(value)
    case 'suffix':
      return folded.endsWith(value)
    case 'equal':
      return folded === value
    case 'greater':
      return compareText(folded, value) > 0
    case 'less':
      return folded !== '' && compareText(folded, value) < 0
  }
}

const matchesWord = ({ match, value }: Extract<Condition, { kind: 'words' }>, word: string): boolean =>
  match === 'equal' ? word === value : word.startsWith(value)

/** Compares by code points, as UTF-8 does. */
const compareText = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const matchesReference = (
  condition: Extract<Condition, { kind: 'reference' }>,
  entry: Extract<IndexEntry, { kind: 'reference' }>,
): boolean =>
  condition.id === entry.id &&
  (condition.type === undefined || condition.type === entry.type) &&
  matchesVersion(condition, entry.version)

function matchesVersion(
  { version, versions }: Extract<Condition, { kind: 'reference' }>,
  found: string | undefined,
): boolean {
  if (version === undefined || found === version) return true
  return versions === 'below' && found?.startsWith(`${version}.`) === true
}

function matchesUri({ match, value }: Extract<Condition, { kind: 'uri' }>, found: string): boolean {
  switch (match) {
    case 'exact':
      return found === value
    case 'below':
      return found.startsWith(value)
    case 'above':
      return isBeginning(found, value)
  }
}

function isWithin({ lowMin, lowMax, highMin, highMax }: RangeBounds, low: number, high: number): boolean {
  return (
    (lowMin === undefined || low >= lowMin) &&
    (lowMax === undefined || low <= lowMax) &&
    (highMin === undefined || high >= highMin) &&
    (highMax === undefined || high <= highMax)
  )
}
