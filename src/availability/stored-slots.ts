/** The stored Slots that generation must consider, however many there are. */
import type { Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { BUFFER_TAG, type SlotWithId } from '../scheduling/generated-slot.ts'
import type { Span } from '../scheduling/zone-clock.ts'

const DAY = 86_400_000
/** Maximum lengths of a visit, and of blocked time such as a holiday. */
const LONGEST_VISIT = DAY
const LONGEST_BLOCK = 31 * DAY
/** The most results that Context.search returns. */
const PAGE = 1000

/** Slots of a Schedule that start within [start, end), or before it and end in it. */
export async function storedSlots(
  ctx: Context,
  schedule: string,
  { start, end }: Span,
): Promise<readonly SlotWithId[]> {
  const since = start - LONGEST_VISIT
  const visits = await slotsBetween(ctx, schedule, {}, { start: since, end })
  const blocked = await slotsBetween(
    ctx,
    schedule,
    { status: 'busy-unavailable', '_tag:not': BUFFER_TAG },
    { start: start - LONGEST_BLOCK, end: since },
  )
  return [...blocked, ...visits].filter((slot) => timeOf(slot.end) > start || timeOf(slot.start) >= start)
}

/** The start of the Slot after the first `count` within [start, end); undefined if there are no more. */
export async function startAfter(
  ctx: Context,
  schedule: string,
  span: Span,
  count: number,
): Promise<number | undefined> {
  const found = await ctx.search<Slot>('Slot', `${queryOf(schedule, {}, span)}&_count=${count + 1}`)
  const next = found[count]?.resource.start
  return next === undefined ? undefined : Date.parse(next)
}

async function slotsBetween(
  ctx: Context,
  schedule: string,
  criteria: Readonly<Record<string, string>>,
  { start, end }: Span,
): Promise<readonly SlotWithId[]> {
  const found = new Map<string, SlotWithId>()
  for (let from = start; ; ) {
    const page = await ctx.search<Slot>('Slot', queryOf(schedule, criteria, { start: from, end }))
    for (const { id, resource } of page) found.set(id, { ...resource, id })
    const last = Date.parse(page.at(-1)?.resource.start ?? '')
    // No Schedule has a thousand Slots with the same start.
    if (page.length < PAGE || last <= from) return [...found.values()]
    from = last
  }
}

/**
 * All statuses, so that the index of Schedule, status and start is used:
 * https://hl7.org/fhir/R4/valueset-slotstatus.html
 */
const ANY_STATUS = 'busy,free,busy-unavailable,busy-tentative,entered-in-error'

function queryOf(schedule: string, criteria: Readonly<Record<string, string>>, { start, end }: Span): string {
  const query = new URLSearchParams({
    schedule: `Schedule/${schedule}`,
    status: ANY_STATUS,
    ...criteria,
    _sort: 'start',
  })
  query.append('start', `ge${new Date(start).toISOString()}`)
  query.append('start', `lt${new Date(end).toISOString()}`)
  return query.toString()
}
