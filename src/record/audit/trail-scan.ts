/**
 * Events of the audit trail in chronological order, a few blocks at a time. Blocks of several processes overlap, by
 * BLOCK_SPAN at most; so events near the end of the blocks read so far wait for the next ones.
 */
import { spend } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { type AuditScan, type AuditStore, BLOCK_SPAN } from '../../storage/audit-port.ts'
import type { PatientPart } from './audit-event.ts'
import { eventsOf, timeOfKey } from './trail.ts'

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

export interface Located extends PatientPart, Position {}

export interface TrailQuery extends Pick<AuditScan, 'clinic' | 'order'> {
  /** Only events within [from, to]. */
  readonly from: number
  readonly to: number
  /** Only events about this patient. */
  readonly patient?: string | undefined
  /** Only events that come after it in the order. */
  readonly after?: Position | undefined
}

export interface Chunk {
  readonly events: readonly Located[]
  /** Everything up to here has been given; absent: there is no more. */
  readonly reached?: Position
}

const BLOCKS_AT_A_TIME = 20
/** Characters of blocks that are parsed in a step. */
const PARSED_IN_A_STEP = 50
const WHAT = 'the events of the audit trail'

/** @throws StoreUnavailable, BudgetError */
export async function* trailScan(store: AuditStore, query: TrailQuery): AsyncGenerator<Chunk> {
  const { clinic, order, patient } = query
  const isNewestFirst = order === 'newest first'
  const compare = comparisonFor(order)
  const { from, to } = boundsOf(query)
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
function boundsOf({ order, from, to, after }: TrailQuery): { readonly from: number; readonly to: number } {
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

export const partsOf = (key: string, events: ReturnType<typeof eventsOf>): readonly Located[] =>
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
export const comparisonFor = (order: TrailQuery['order']): typeof byTime =>
  order === 'newest first' ? (left, right) => byTime(right, left) : byTime

function byTime(left: Position, right: Position): number {
  if (left.at !== right.at) return left.at - right.at
  if (left.key !== right.key) return left.key < right.key ? -1 : 1
  return left.index - right.index || left.part - right.part
}
