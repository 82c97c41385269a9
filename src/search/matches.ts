/** Whether a condition holds for one resource that is in memory: one that a transaction is about to write is in no store yet. */
import { circleAround, type GeoPoint, haversineOf } from '../fhir/great-circle.ts'
import type { Condition, IndexEntry, PartCondition, PartEntry, RangeBounds } from './plan.ts'

export interface Candidate {
  readonly type: string
  readonly id: string
  /** Milliseconds since 1970 UTC. */
  readonly lastUpdated: number
  readonly entries: readonly IndexEntry[]
}

/** References are not followed: what needs another resource does not hold. */
export function holds(condition: Condition, candidate: Candidate): boolean {
  switch (condition.kind) {
    case 'any':
      return condition.of.some((part) => holds(part, candidate))
    case 'all':
      return condition.of.every((part) => holds(part, candidate))
    case 'not':
      return !holds(condition.of, candidate)
    case 'unequal':
      return candidate.entries.some(
        (entry) => entry.param === condition.of.param && entry.kind === condition.of.kind && !fits(condition.of, entry),
      )
    case 'id':
      return condition.ids.includes(candidate.id)
    case 'type':
      return condition.types.includes(candidate.type)
    case 'lastUpdated':
      return within(condition.bounds, candidate.lastUpdated, candidate.lastUpdated)
    case 'missing':
      return candidate.entries.some(({ param }) => param === condition.param) !== condition.missing
    case 'chain':
    case 'has':
      return false
    default:
      return candidate.entries.some(
        (entry) => entry.param === condition.param && entry.kind === condition.kind && fits(condition, entry),
      )
  }
}

type ValueCondition = Extract<Condition, { kind: IndexEntry['kind'] }>

function fits(condition: ValueCondition, entry: IndexEntry): boolean {
  switch (entry.kind) {
    case 'string':
      return condition.kind === 'string' && fitsString(condition, entry)
    case 'uri':
      return condition.kind === 'uri' && fitsUri(condition, entry.value)
    case 'token':
      return condition.kind === 'token' && same(condition.system, entry.system) && same(condition.code, entry.code)
    case 'reference':
      return (
        condition.kind === 'reference' &&
        condition.id === entry.id &&
        same(condition.type, entry.type) &&
        isVersion(condition, entry.version)
      )
    case 'date':
    case 'number':
      return 'bounds' in condition && within(condition.bounds, entry.low, entry.high)
    case 'quantity':
      return (
        condition.kind === 'quantity' &&
        within(condition.bounds, entry.low, entry.high) &&
        same(condition.system, entry.system) &&
        same(condition.code, entry.code)
      )
    case 'position':
      return condition.kind === 'position' && isNear(condition, entry)
    case 'composite':
      return (
        condition.kind === 'composite' && condition.parts.every((part, index) => fitsPart(part, entry.parts[index]))
      )
  }
}

function isNear(condition: Extract<Condition, { kind: 'position' }>, place: GeoPoint): boolean {
  const { center, haversine } = circleAround(condition, condition.distance)
  return haversineOf(center, place) <= haversine
}

const fitsPart = (condition: PartCondition, entry: PartEntry | undefined): boolean =>
  entry !== undefined && entry.kind === condition.kind && entry.param === condition.param && fits(condition, entry)

const same = (asked: string | undefined, found: string | undefined): boolean => asked === undefined || asked === found

function fitsString(
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

/** By code points, as UTF-8 does. */
const compareText = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

function isVersion(
  { version, versions }: Extract<Condition, { kind: 'reference' }>,
  found: string | undefined,
): boolean {
  if (version === undefined || found === version) return true
  return versions === 'below' && found?.startsWith(`${version}.`) === true
}

function fitsUri({ match, value }: Extract<Condition, { kind: 'uri' }>, found: string): boolean {
  switch (match) {
    case 'exact':
      return found === value
    case 'below':
      return found === value || found.startsWith(value.endsWith('/') ? value : `${value}/`)
    case 'above':
      return found === value || value.startsWith(found.endsWith('/') ? found : `${found}/`)
  }
}

function within({ lowMin, lowMax, highMin, highMax }: RangeBounds, low: number, high: number): boolean {
  return (
    (lowMin === undefined || low >= lowMin) &&
    (lowMax === undefined || low <= lowMax) &&
    (highMin === undefined || high >= highMin) &&
    (highMax === undefined || high <= highMax)
  )
}
