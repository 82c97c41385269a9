/**
 * The audit trail of one clinic, for users who may read it: events by their ids, by the search parameters of AuditEvent, and
 * in chronological order.
 */
import { spend } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { Versioned } from '../../repository/repository.ts'
import { extractEntries } from '../../search/index/extract.ts'
import { type Candidate, matches } from '../../search/matches.ts'
import { BEGINNING_OF_TIME, type Condition, END_OF_TIME, type RangeBounds } from '../../search/plan.ts'
import { type AuditScan, type AuditStore, BLOCK_SPAN } from '../../storage/audit-port.ts'
import { auditEventOf, type PatientPart } from './audit-event.ts'
import { type AuditTrail, eventsOf, KEY_PATTERN, timeOfKey } from './trail.ts'

const PREFIX = 'trail-'

/** The ids of events. */
const ID = new RegExp(`^${PREFIX}(${KEY_PATTERN})-(\\d{1,6})(?:-(\\d{1,6}))?$`)

export const isTrailId = (id: string): boolean => ID.test(id)

/** Whether an id looks like that of an event: no other resource is stored under such an id. */
export const isReservedId = (id: string): boolean => id.startsWith(PREFIX)

/**
 * Events that are compared with the conditions for one page: where few of them match, the page is shorter than
 * requested.
 */
const COMPARED = 5_000
/** Groups of blocks that are read for one page: many may hold no event of a patient. */
const PASSES = 500
const STEPS_PER_EVENT = 3

export interface TrailSearch {
  readonly where: readonly Condition[]
  readonly order: TrailQuery['order']
  /** Events at most. */
  readonly count: number
  readonly after?: Position | undefined
}

export interface FoundEvent {
  readonly resource: Versioned
  readonly position: Position
}

export interface FoundEvents {
  readonly events: readonly FoundEvent[]
  /** Where the next page continues; absent: there are no more. */
  readonly next?: Position
}

export class TrailReader {
  readonly #trail: AuditTrail
  readonly #clinic: string
  readonly #server: string

  /** @param server address of this server, for the AuditEvents */
  constructor(trail: AuditTrail, clinic: string, server: string) {
    this.#trail = trail
    this.#clinic = clinic
    this.#server = server
  }

  /** Undefined when there is no event of this id. @throws StoreUnavailable */
  async find(id: string): Promise<Versioned | undefined> {
    await this.#trail.flush()
    const located = await this.#locate(id)
    return located && this.#resourceOf(located)
  }

  async #locate(id: string): Promise<Located | undefined> {
    const [, key = '', index = '', part = '0'] = ID.exec(id) ?? []
    if (key === '') return undefined
    const block = await this.#trail.store.read(this.#clinic, key)
    const located = block && partsOf(key, eventsOf(block, this.#clinic))
    const found = located?.find((one) => one.index === Number(index) && one.part === Number(part))
    return found === undefined || idOf(found) !== id ? undefined : found
  }

  /** @throws StoreUnavailable, BudgetError */
  async search({ where, order, count, after }: TrailSearch): Promise<FoundEvents> {
    const events: FoundEvent[] = []
    let [compared, passes] = [0, 0]
    for await (const { events: chunk, reached } of await this.#scan(where, order, after)) {
      for (const located of chunk) {
        const resource = this.#matching(located, where)
        if (resource !== undefined) events.push({ resource, position: positionOf(located) })
        // One more event than requested shows that there is another page.
        if (events.length > count) return { events: events.slice(0, count), ...nextAfter(events[count - 1]) }
        compared += 1
        if (compared === COMPARED) return { events, next: positionOf(located) }
      }
      passes += 1
      if (reached !== undefined && passes === PASSES) return { events, next: reached }
    }
    return { events }
  }

  /** @throws StoreUnavailable; BudgetError where there are too many events to compare */
  async count(where: readonly Condition[]): Promise<number> {
    let count = 0
    for await (const { events } of await this.#scan(where, 'newest first')) {
      for (const located of events) if (this.#matching(located, where) !== undefined) count += 1
    }
    return count
  }

  async #scan(
    where: readonly Condition[],
    order: TrailQuery['order'],
    after?: Position,
  ): Promise<AsyncIterable<Chunk> | readonly Chunk[]> {
    // Events still in the queue are found too.
    await this.#trail.flush()
    const ids = idsOf(where)
    if (ids !== undefined) return [{ events: await this.#located(ids, order, after) }]
    return trailScan(this.#trail.store, { clinic: this.#clinic, order, after, ...boundsOf(where) })
  }

  /** The events with these ids, without a scan. */
  async #located(ids: readonly string[], order: TrailQuery['order'], after?: Position): Promise<readonly Located[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.#locate(id)))
    const compare = comparisonFor(order)
    const located = found.filter((one) => one !== undefined)
    return located.filter((one) => after === undefined || compare(one, after) > 0).sort(compare)
  }

  #matching(located: Located, where: readonly Condition[]): Versioned | undefined {
    spend(STEPS_PER_EVENT, 'the events of the audit trail')
    const found = this.#resourceOf(located)
    if (where.length === 0) return found
    const entries = extractEntries(found.resource, this.#server, [], isFullText(where))
    const candidate: Candidate = { type: 'AuditEvent', id: found.id, lastUpdated: located.at, entries }
    return where.every((condition) => matches(condition, candidate)) ? found : undefined
  }

  #resourceOf(located: Located): Versioned {
    const id = idOf(located)
    const resource = auditEventOf(located, id, this.#server)
    const text = JSON.stringify(resource)
    const stored = { type: 'AuditEvent', id, version: 1, lastUpdated: located.at, method: 'POST', text } as const
    return new Versioned(stored, resource)
  }
}

const nextAfter = (last: FoundEvent | undefined): Pick<FoundEvents, 'next'> =>
  last === undefined ? {} : { next: last.position }

const positionOf = ({ at, key, index, part }: Position): Position => ({ at, key, index, part })

const idOf = ({ event, key, index, part }: Position & PatientPart): string =>
  `trail-${key}-${index}${event.patients.length > 1 ? `-${part}` : ''}`

const idsOf = (where: readonly Condition[]): readonly string[] | undefined =>
  where.find((condition) => condition.kind === 'id')?.ids

const isFullText = (where: readonly Condition[]): boolean => JSON.stringify(where).includes('"words"')

/** The bounds of the scan; every event is still compared with the conditions themselves. */
function boundsOf(where: readonly Condition[]): Pick<TrailQuery, 'from' | 'to' | 'patient'> {
  let [from, to] = [BEGINNING_OF_TIME, END_OF_TIME]
  let patient: string | undefined
  for (const condition of where.flatMap(flat)) {
    if (condition.kind === 'lastUpdated' || (condition.kind === 'date' && condition.param === 'date')) {
      from = Math.max(from, earliest(condition.bounds))
      to = Math.min(to, latest(condition.bounds))
    }
    if (condition.kind === 'reference' && condition.param === 'patient' && condition.type === 'Patient')
      patient = condition.id
  }
  return { from, to, patient }
}

/** The conditions that must all hold, without alternatives. */
function flat(condition: Condition): readonly Condition[] {
  if (condition.kind === 'all') return condition.of.flatMap(flat)
  const [only] = condition.kind === 'any' ? condition.of : []
  return condition.kind === 'any' && condition.of.length === 1 && only !== undefined ? flat(only) : [condition]
}

/** An instant begins and ends at the same millisecond. */
const earliest = ({ lowMin, highMin }: RangeBounds): number =>
  Math.max(lowMin ?? BEGINNING_OF_TIME, highMin ?? BEGINNING_OF_TIME)

const latest = ({ lowMax, highMax }: RangeBounds): number => Math.min(lowMax ?? END_OF_TIME, highMax ?? END_OF_TIME)

/** Where an event is in the order. Times are milliseconds since 1970 UTC. */
export interface Position {
  readonly at: number
  /** The key of its block. */
  readonly key: string
  /** The event's place in its block. */
  readonly index: number
  /** The patient's place among the patients of the event. */
  readonly part: number
}

interface Located extends PatientPart, Position {}

export interface TrailQuery extends Pick<AuditScan, 'clinic' | 'order'> {
  /** Only events within [from, to]. */
  readonly from: number
  readonly to: number
  /** Only events about this patient. */
  readonly patient?: string | undefined
  /** Only events that come after it in the order. */
  readonly after?: Position | undefined
}

interface Chunk {
  readonly events: readonly Located[]
  /** Everything up to here has been given; absent: there is no more. */
  readonly reached?: Position
}

const BLOCKS_AT_A_TIME = 20
/** Characters of blocks that are parsed in a step. */
const PARSED_IN_A_STEP = 50
const WHAT = 'the events of the audit trail'

/**
 * Scans the trail, a few blocks at a time. Blocks of several processes overlap, by BLOCK_SPAN at most; so events near the end
 * of the blocks read so far wait for the next ones.
 * @throws StoreUnavailable, BudgetError
 */
async function* trailScan(store: AuditStore, query: TrailQuery): AsyncGenerator<Chunk> {
  const { clinic, order, patient } = query
  const isNewestFirst = order === 'newest first'
  const compare = comparisonFor(order)
  const { from, to } = spanOfBlocks(query)
  let waiting: readonly Located[] = []
  let after: string | undefined
  do {
    const scan: AuditScan = { clinic, order, from, to, limit: BLOCKS_AT_A_TIME }
    const page = await store.scan({
      ...scan,
      ...(after === undefined ? {} : { after }),
      ...(patient === undefined ? {} : { patient }),
    })
    spend(page.blocks.reduce((sum, { events }) => sum + events.length, 0) / PARSED_IN_A_STEP, WHAT)
    const located = page.blocks.flatMap((block) => partsOf(block.key, eventsOf(block, clinic)))
    const events = [...waiting, ...located.filter((one) => isAsked(one, query, compare))].sort(compare)
    after = page.next
    if (after === undefined) {
      yield { events }
      return
    }
    const reached = reachedAt(timeOfKey(after), isNewestFirst)
    const end = events.findIndex((one) => compare(one, reached) > 0)
    const sure = end < 0 ? events.length : end
    waiting = events.slice(sure)
    yield { events: events.slice(0, sure), reached }
    await yieldToEventLoop()
  } while (after !== undefined)
}

/** The range of starting times of blocks that may have such events. */
function spanOfBlocks({ order, from, to, after }: TrailQuery): { readonly from: number; readonly to: number } {
  const earliest = order === 'oldest first' && after !== undefined ? Math.max(from, after.at) : from
  const latest = order === 'newest first' && after !== undefined ? Math.min(to, after.at) : to
  return { from: earliest - BLOCK_SPAN, to: latest }
}

/** @param time at which the last block read begins: those that follow begin there, or beyond */
const reachedAt = (time: number, isNewestFirst: boolean): Position =>
  isNewestFirst
    ? { at: time + BLOCK_SPAN + 1, key: '', index: 0, part: 0 }
    : { at: time - 1, key: LAST_KEY, index: 0, part: 0 }

/** Sorts after every key. */
const LAST_KEY = '~'

const partsOf = (key: string, events: ReturnType<typeof eventsOf>): readonly Located[] =>
  events.flatMap((event, index): readonly Located[] =>
    event.patients.length === 0
      ? [{ event, at: event.at, key, index, part: 0 }]
      : event.patients.map((patient, part) => ({ event, patient, at: event.at, key, index, part })),
  )

function isAsked(
  one: Located,
  { from, to, patient, after }: TrailQuery,
  compare: (left: Position, right: Position) => number,
): boolean {
  if (one.at < from || one.at > to) return false
  if (patient !== undefined && one.patient !== patient) return false
  return after === undefined || compare(one, after) > 0
}

/** For sorting. */
const comparisonFor = (order: TrailQuery['order']): typeof byTime =>
  order === 'newest first' ? (left, right) => byTime(right, left) : byTime

function byTime(left: Position, right: Position): number {
  if (left.at !== right.at) return left.at - right.at
  if (left.key !== right.key) return left.key < right.key ? -1 : 1
  return left.index - right.index || left.part - right.part
}
