/** Times that can be booked, found in the plainest way: no index, no windows of time, no pages. */
import type { Slot } from 'fhir/r4'
import type { OpeningsQuery } from '../../src/booking/openings.ts'

type Stored = Slot & { readonly id: string }

const MINUTE = 60_000

const scheduleOf = ({ schedule: { reference = '' } }: Slot): string => reference.slice('Schedule/'.length)
const kindOf = ({ serviceType }: Slot): string => serviceType?.[0]?.text?.toLowerCase() ?? ''

/** The ids of the Slots of each, joined by +. Slots differ in Schedule, status, times and the text of their serviceType. */
export function expectedOpenings(
  slots: readonly Stored[],
  query: Partial<OpeningsQuery>,
  now: number,
): readonly string[] {
  const free = slots.filter(({ status }) => status === 'free').sort((one, other) => (one.id < other.id ? -1 : 1))
  return free
    .map((first) => ({ run: runFrom(first, free, query.minutes ?? 0), key: keyOf(first, query) }))
    .filter(({ run, key }) => isOffered(run, query, now) && !key.includes(-1))
    .sort((one, other) => compare(one.key, other.key))
    .map(({ run }) => run.map(({ id }) => id).join('+'))
}

/** The slots of a visit that begins with `first`; empty where there is not enough time. */
function runFrom(first: Stored, free: readonly Stored[], minutes: number): readonly Stored[] {
  const run = [first]
  for (let last = first; Date.parse(last.end) - Date.parse(first.start) < minutes * MINUTE; ) {
    const isNext = (one: Stored): boolean => one.start === last.end && scheduleOf(one) === scheduleOf(last)
    const next = free.find((one) => isNext(one) && kindOf(one) === kindOf(last))
    if (next === undefined) return []
    run.push(next)
    last = next
  }
  return run
}

/** The sort key: start, kind of visit and Schedule; -1 where one is not part of the query. */
const keyOf = (slot: Stored, { visitTypes, schedules }: Partial<OpeningsQuery>): readonly number[] => [
  Date.parse(slot.start),
  visitTypes?.indexOf(kindOf(slot)) ?? 0,
  schedules?.indexOf(scheduleOf(slot)) ?? 0,
]

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((part, index) => part !== other[index])
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

function isOffered(
  run: readonly Stored[],
  { from = 0, until, isWanted }: Partial<OpeningsQuery>,
  now: number,
): boolean {
  const [start, end] = [Date.parse(run[0]?.start ?? ''), Date.parse(run.at(-1)?.end ?? '')]
  return start > now && start >= from && end <= (until ?? Number.POSITIVE_INFINITY) && isWanted?.(start, end) !== false
}
