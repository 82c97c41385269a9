/** The visits that reserve time of some actors within a span, as they will be after the change. */
import type { Appointment, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { addressOf, localReference } from '../fhir/reference.ts'
import { holdEndOf } from '../scheduling/hold.ts'
import { overlap } from '../scheduling/planned-slots.ts'
import { isReserved } from '../scheduling/reserved-slot.ts'
import { LONGEST_VISIT, RESERVING_STATUSES, spanBetween, takesPart, visitTime } from '../scheduling/reserving.ts'
import type { Span } from '../scheduling/zone-clock.ts'
import type { ActorsAtWork } from './actors-at-work.ts'
import { afterChange, allOf, type Found, hasCode, isWithin, refersTo } from './all-found.ts'
import { type Reservation, scheduleIdsOf } from './reservation.ts'

export interface ReservingVisit extends Reservation {
  /** Appointment.id */
  readonly id: string
}

const WHAT = 'the other visits of its actors'

/** The range of starts of visits that may overlap the span. */
export const reachingInto = ({ start, end }: Span): Span => ({ start: start - LONGEST_VISIT, end })

export async function visitsBeside(ctx: Context, atWork: ActorsAtWork, span: Span): Promise<readonly ReservingVisit[]> {
  const named = await allOf<Appointment>(
    ctx,
    'Appointment',
    [
      refersTo('actor', atWork.actorAt.keys()),
      hasCode('status', RESERVING_STATUSES),
      isWithin('date', reachingInto(span)),
    ],
    WHAT,
  )
  const inSlots = await visitsInSlots(ctx, atWork, span, named)
  const stored = [...new Map([...named, ...inSlots].map((found) => [found.id, found])).values()]
  const all = await afterChange(ctx, 'Appointment', Promise.resolve(stored), () => true)
  const visits = await Promise.all(all.map((one) => reservingVisit(ctx, atWork, one, span)))
  return visits.flatMap((visit) => visit ?? [])
}

interface WantedSlots {
  readonly span: Span
  readonly statuses: readonly Slot['status'][]
  /** The kind of slots, for the message of `allOf`. */
  readonly what: string
}

/** The stored Slots of some Schedules that may overlap a span. @param schedules Schedule.id */
export const slotsReachingInto = (
  ctx: Context,
  schedules: Iterable<string>,
  { span, statuses, what }: WantedSlots,
): Promise<readonly Found<Slot>[]> =>
  allOf<Slot>(
    ctx,
    'Slot',
    [
      refersTo(
        'schedule',
        Array.from(schedules, (id) => `Schedule/${id}`),
      ),
      hasCode('status', statuses),
      isWithin('start', reachingInto(span)),
    ],
    what,
  )

/**
 * Visits that name no actor of the Schedule of their slots. Staff may have blocked a slot under one.
 * @param named visits that do: a Slot held only by one of them needs no search
 */
async function visitsInSlots(
  ctx: Context,
  { schedules }: ActorsAtWork,
  span: Span,
  named: readonly Found<Appointment>[],
): Promise<readonly Found<Appointment>[]> {
  if (schedules.size === 0) return []
  const statuses = ['busy', 'busy-tentative', 'busy-unavailable'] as const
  const busy = await slotsReachingInto(ctx, schedules.keys(), { span, statuses, what: WHAT })
  const known = new Set(named.flatMap(({ resource }) => slotIdsOf(resource, ctx.baseUrl)))
  const slots = busy.filter(
    ({ id, resource }) =>
      (!known.has(id) || resource.overbooked === true) &&
      !isReserved(resource) &&
      overlap(spanBetween(resource.start, resource.end), span),
  )
  const found: Found<Appointment>[] = []
  for (let at = 0; at < slots.length; at += AT_ONCE) {
    const addresses = slots.slice(at, at + AT_ONCE).map(({ id }) => `Slot/${id}`)
    const where = [refersTo('slot', addresses), hasCode('status', RESERVING_STATUSES)]
    found.push(...(await allOf<Appointment>(ctx, 'Appointment', where, WHAT)))
  }
  return found
}

/** Most Slots whose visits are searched together. */
const AT_ONCE = 50

const slotIdsOf = ({ slot = [] }: Appointment, baseUrl: string): readonly string[] =>
  slot.flatMap(({ reference = '' }) => localReference(reference, baseUrl)?.id ?? [])

/** Returns undefined if it reserves no time of these actors within the span; an expired hold reserves none. */
async function reservingVisit(
  ctx: Context,
  { actorAt, schedules }: ActorsAtWork,
  visit: Appointment,
  span: Span,
): Promise<ReservingVisit | undefined> {
  const { id = '', participant } = visit
  const time = visitTime(visit)
  if (time === undefined || !overlap(time, span) || (holdEndOf(visit) ?? Number.POSITIVE_INFINITY) <= ctx.now)
    return undefined
  const named = participant
    .filter(takesPart)
    .flatMap(({ actor }) => actorAt.get(addressOf(actor?.reference ?? '', ctx.baseUrl)) ?? [])
  const ofSlots = (await scheduleIdsOf(ctx, visit)).flatMap((schedule) => schedules.get(schedule) ?? [])
  const actors = new Set([...named, ...ofSlots])
  return actors.size === 0 ? undefined : { id, actors, ...time }
}
