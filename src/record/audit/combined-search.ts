/**
 * `GET /AuditEvent` for users who may read the audit trail: its events and the clinic's own AuditEvents, which are
 * resources like any other, as one searchset in chronological order. No engine searches the events, so chains and _include are
 * followed here.
 */
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { SearchAnswer, UnitOfWork, Versioned } from '../../repository/repository.ts'
import { readCursor, writeCursor } from '../../search/cursor.ts'
import { extractEntries } from '../../search/index/extract.ts'
import type { Condition, Include, SearchPlan, SortKey } from '../../search/plan.ts'
import { searchCursorQuery } from '../../storage/cursor.ts'
import type { FoundEvents, Position, TrailQuery, TrailReader } from './trail-reader.ts'

/** Without a sort key: the newest first. */
const NEWEST_FIRST: readonly SortKey[] = [{ by: 'date', param: 'date', descending: true }]

/** How far the previous pages have come on each side. */
interface Progress {
  /** Absent: from the beginning; null: to the end. */
  readonly trail?: Position | null
  /** A cursor of the store; the same. */
  readonly stored?: string | null
}

/** @throws FhirError 400 for an order that events of the trail do not have, 422 for a chain that leads to too much */
export async function searchWithTrail(trail: TrailReader, unit: UnitOfWork, plan: SearchPlan): Promise<SearchAnswer> {
  const sorted = { ...plan, sort: plan.sort.length === 0 ? NEWEST_FIRST : plan.sort }
  const order = orderOf(sorted.sort)
  const where = await resolvedChains(unit, plan.where)
  if (plan.count === 0) return totalOf(trail, unit, sorted, where)
  const before = progressIn(plan)
  const search = { where, order, count: plan.count, after: before.trail ?? undefined }
  const events: FoundEvents = before.trail === null ? { events: [] } : await trail.search(search)
  const stored = await storedPage(unit, sorted, before.stored)
  const page = merged(events, stored, { order, count: plan.count, timeOf: timeBy(sorted.sort) })
  const answered =
    page.stored < stored.matches.length
      ? await storedPage(unit, { ...sorted, count: page.stored }, before.stored)
      : stored
  const included = await includedWith(page.events, unit, plan, answered)
  const progress: Progress = {
    ...progressOfTrail(page.events.length, events, before.trail),
    ...progressOfStore(page.stored, { stored, answered }, before.stored),
  }
  const next =
    progress.trail === null && progress.stored === null
      ? {}
      : { next: writeCursor(searchCursorQuery(plan), [progress]) }
  const isWhole = plan.after === undefined && next.next === undefined
  const total = isWhole ? page.matches.length : await accurateTotal(trail, unit, sorted, where)
  return { ...included, matches: page.matches, ...next, ...(total === undefined ? {} : { total }) }
}

const NONE: SearchAnswer = { matches: [], included: [], truncated: false }

async function storedPage(unit: UnitOfWork, plan: SearchPlan, after: Progress['stored']): Promise<SearchAnswer> {
  if (after === null || plan.count === 0) return NONE
  const { after: _ours, ...rest } = plan
  return unit.search({ ...rest, total: 'none', ...(after === undefined ? {} : { after }) })
}

/** @throws FhirError 400 */
function orderOf(sort: readonly SortKey[]): TrailQuery['order'] {
  const [first] = sort
  const isByTime = (key: SortKey): boolean =>
    key.descending === first?.descending && (key.by === 'lastUpdated' || (key.by === 'date' && key.param === 'date'))
  if (sort.every(isByTime)) return first?.descending ? 'newest first' : 'oldest first'
  throw badRequest(
    'The audit trail is sorted by time only: _sort=date or _sort=-date (or _lastUpdated); its events have no other order',
  )
}

interface MergedPage {
  readonly matches: readonly Versioned[]
  /** The events of the trail on the page, and the number of other matches. */
  readonly events: readonly Versioned[]
  readonly stored: number
}

interface MergeOptions {
  readonly order: TrailQuery['order']
  readonly count: number
  /** The time by which the store sorts one of its own resources. */
  readonly timeOf: (own: Versioned) => number
}

/**
 * The first `count` of both, in chronological order. Matches beyond the end of an unfinished side wait for that side.
 */
function merged(
  { events, next }: FoundEvents,
  stored: SearchAnswer,
  { order, count, timeOf }: MergeOptions,
): MergedPage {
  const sign = order === 'newest first' ? -1 : 1
  const isFirst = (one: number, other: number): boolean => (one - other) * sign <= 0
  const matches: Versioned[] = []
  const taken: Versioned[] = []
  let ours = 0
  while (matches.length < count) {
    const event = events[taken.length]?.resource
    const own = stored.matches[ours]
    if (
      event !== undefined &&
      (own === undefined ? stored.next === undefined : isFirst(event.lastUpdated, timeOf(own)))
    ) {
      taken.push(event)
      matches.push(event)
    } else if (own !== undefined && (event !== undefined || next === undefined || isFirst(timeOf(own), next.at))) {
      ours += 1
      matches.push(own)
    } else break
  }
  return { matches, events: taken, stored: ours }
}

const timeBy = (sort: readonly SortKey[]): MergeOptions['timeOf'] =>
  sort[0]?.by === 'lastUpdated' ? ({ lastUpdated }) => lastUpdated : recordedAt

function recordedAt({ resource, lastUpdated }: Versioned): number {
  const time =
    'recorded' in resource && typeof resource.recorded === 'string' ? Date.parse(resource.recorded) : Number.NaN
  return Number.isNaN(time) ? lastUpdated : time
}

function progressOfTrail(
  taken: number,
  { events, next }: FoundEvents,
  before: Progress['trail'],
): Pick<Progress, 'trail'> {
  if (before === null) return { trail: null }
  if (taken === events.length) return { trail: next ?? null }
  const last = events[taken - 1]?.position ?? before
  return last === undefined ? {} : { trail: last }
}

/** @param answered the page that ends with the last one taken */
function progressOfStore(
  taken: number,
  { stored, answered }: { readonly stored: SearchAnswer; readonly answered: SearchAnswer },
  before: Progress['stored'],
): Pick<Progress, 'stored'> {
  if (taken > 0 || stored.matches.length === 0) return { stored: answered.next ?? null }
  return before === undefined ? {} : { stored: before }
}

async function totalOf(trail: TrailReader, unit: UnitOfWork, plan: SearchPlan, where: readonly Condition[]) {
  const stored = await unit.search(plan)
  return { ...stored, total: (stored.total ?? 0) + (await trail.count(where)) }
}

async function accurateTotal(
  trail: TrailReader,
  unit: UnitOfWork,
  plan: SearchPlan,
  where: readonly Condition[],
): Promise<number | undefined> {
  if (plan.total !== 'accurate') return undefined
  const { after: _ours, ...rest } = plan
  return (await totalOf(trail, unit, { ...rest, count: 0, include: [] }, where)).total
}

/** @throws InvalidCursor */
const progressIn = (plan: SearchPlan): Progress =>
  plan.after === undefined ? {} : readCursor(plan.after, searchCursorQuery(plan), isShape)[0]

const isShape = (keys: readonly unknown[]): keys is readonly [Progress] => {
  const [progress] = keys
  if (!isObject(progress)) return false
  const { trail, stored } = progress
  return (
    (trail === undefined || trail === null || isPosition(trail)) &&
    (stored === undefined || stored === null || typeof stored === 'string')
  )
}

const isPosition = (value: unknown): value is Position =>
  isObject(value) &&
  typeof value['key'] === 'string' &&
  [value['at'], value['index'], value['part']].every(Number.isSafeInteger)

/** Resources that a chain may lead to. */
const MAX_TARGETS = 1_000

/**
 * The conditions with the references that their chains allow in place of the chains.
 * @throws FhirError 422 for a chain that leads to too much
 */
const resolvedChains = (unit: UnitOfWork, conditions: readonly Condition[]): Promise<readonly Condition[]> =>
  Promise.all(conditions.map((condition) => resolved(unit, condition)))

async function resolved(unit: UnitOfWork, condition: Condition): Promise<Condition> {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return { kind: condition.kind, of: await resolvedChains(unit, condition.of) }
    case 'not':
      return { kind: 'not', of: await resolved(unit, condition.of) }
    case 'chain':
      return { kind: 'any', of: await chainTargets(unit, condition) }
    default:
      return condition
  }
}

async function chainTargets(
  unit: UnitOfWork,
  { param, types, where }: Extract<Condition, { kind: 'chain' }>,
): Promise<readonly Condition[]> {
  const { matches, next } = await unit.search({
    ...{ clinic: unit.clinic, types, where: [where], sort: [] },
    ...{ count: MAX_TARGETS, total: 'none', include: [], includeLimit: 0 },
  })
  if (next !== undefined) throw tooMany(types)
  return matches.map(({ type, id }) => ({ kind: 'reference', param, type, id }))
}

const tooMany = (types: readonly string[]): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The condition on ${types.join(', ')} is met by more than ${MAX_TARGETS} resources; in a search of the audit trail it must choose fewer`,
  })

const EVERY = '*'

/** The resources included with the clinic's own AuditEvents, and those that events of the trail refer to. */
async function includedWith(
  events: readonly Versioned[],
  unit: UnitOfWork,
  plan: SearchPlan,
  stored: Pick<SearchAnswer, 'included' | 'truncated'>,
): Promise<Pick<SearchAnswer, 'included' | 'truncated'>> {
  const follow = plan.include.filter(({ reverse, source }) => !reverse && (source === 'AuditEvent' || source === EVERY))
  const targets = targetsOf(events, follow)
  if (targets.size === 0) return { included: stored.included, truncated: stored.truncated }
  const included = new Map(stored.included.map((one) => [addressOf(one), one]))
  let { truncated } = stored
  for (const [type, ids] of targets) {
    const found = await unit.search({
      ...{ clinic: unit.clinic, types: [type], where: [{ kind: 'id', ids: [...ids] }], sort: [] },
      ...{ count: ids.size, total: 'none', includeLimit: plan.includeLimit },
      include: plan.include.filter(({ iterate }) => iterate),
    })
    for (const one of [...found.matches, ...found.included]) included.set(addressOf(one), one)
    truncated ||= found.truncated
  }
  const all = [...included.values()].filter(({ type }) => type !== 'AuditEvent')
  return { included: all.slice(0, plan.includeLimit), truncated: truncated || all.length > plan.includeLimit }
}

const addressOf = ({ type, id }: Pick<Versioned, 'type' | 'id'>): string => `${type}/${id}`

/** The ids that the events refer to, by type. */
function targetsOf(
  events: readonly Versioned[],
  includes: readonly Include[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, Set<string>>()
  if (includes.length === 0) return targets
  for (const { resource } of events) {
    for (const entry of extractEntries(resource, '', [], false)) {
      if (entry.kind !== 'reference' || entry.type === '') continue
      const isFollowed = includes.some(
        ({ param, target }) => (param === EVERY || param === entry.param) && (target ?? entry.type) === entry.type,
      )
      if (!isFollowed) continue
      const ids = targets.get(entry.type) ?? new Set()
      targets.set(entry.type, ids.add(entry.id))
    }
  }
  return targets
}
