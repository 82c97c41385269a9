/** Slots are free only while their actors are: those in time reserved by a visit elsewhere are busy-unavailable. */
import type { Schedule, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { overlap } from '../scheduling/planned-slots.ts'
import { isOnOffer, isReserved, reserved, unreserved } from '../scheduling/reserved-slot.ts'
import { isFull, spanBetween } from '../scheduling/reserving.ts'
import type { Span } from '../scheduling/zone-clock.ts'
import {
  type ActorsAtWork,
  actorsAtWork,
  type ReservingVisit,
  slotsReachingInto,
  visitsBeside,
} from './actors-at-work.ts'
import { afterChange } from './all-found.ts'
import { claimTime, reservingActors, scheduleIdOf } from './reservation.ts'

/** A Slot written by a client, as it is to be stored. */
export async function asOffered<S extends Slot>(ctx: Context, slot: S): Promise<S> {
  if (!isOnOffer(slot)) return unreserved(slot)
  const schedule = scheduleIdOf(slot, ctx.baseUrl)
  const actors = schedule === undefined ? undefined : await actorsOf(ctx, schedule)
  if (schedule === undefined || actors === undefined) return unreserved(slot)
  await claimTime(ctx, { actors, ...spanOf(slot) })
  const [offered = slot] = await offeredTo(ctx, schedule, actors, [slot])
  return offered
}

/** Generated free Slots of one Schedule, as they are to be stored. */
export async function generatedAsOffered<S extends Slot>(
  ctx: Context,
  schedule: string,
  slots: readonly S[],
): Promise<readonly S[]> {
  const actors = slots.some(isOnOffer) ? await actorsOf(ctx, schedule) : undefined
  return actors === undefined ? slots : await offeredTo(ctx, schedule, actors, slots)
}

/**
 * Claims the time of all actors of reserved Slots that may become free, since a concurrent change that books one of
 * these actors would not update the Slot. Must be called before the visits at that time are looked up.
 */
export async function claimReserved(ctx: Context, slots: readonly Slot[]): Promise<void> {
  for (const slot of slots.filter(isReserved))
    await claimTime(ctx, { actors: await actorsOfSlots(ctx, [slot]), ...spanOf(slot) })
}

/** All actors whose time decides whether these Slots are free. */
export async function actorsOfSlots(ctx: Context, slots: readonly Slot[]): Promise<ReadonlySet<string>> {
  const schedules = new Set(slots.flatMap((slot) => scheduleIdOf(slot, ctx.baseUrl) ?? []))
  const found = await Promise.all(Array.from(schedules, (schedule) => actorsOf(ctx, schedule)))
  return new Set(found.flatMap((actors) => [...(actors ?? [])]))
}

async function actorsOf(ctx: Context, schedule: string): Promise<ReadonlySet<string> | undefined> {
  const found = (await ctx.find<Schedule>('Schedule', schedule))?.resource
  const actors = await reservingActors(ctx, found?.actor ?? [])
  return actors.size === 0 ? undefined : actors
}

async function offeredTo<S extends Slot>(
  ctx: Context,
  schedule: string,
  actors: ReadonlySet<string>,
  slots: readonly S[],
): Promise<readonly S[]> {
  const atWork = await actorsAtWork(ctx, actors)
  const visits = await visitsBeside(ctx, atWork, hullOf(slots.map(spanOf)))
  return slots.map((slot) => (isOnOffer(slot) ? offeredBeside(slot, schedule, atWork, visits) : slot))
}

/**
 * The Slot, free or reserved; the same object if nothing changes.
 * @param atWork at least all actors of its Schedule
 */
export function offeredBeside<S extends Slot>(
  slot: S,
  schedule: string,
  { schedules, capacities }: ActorsAtWork,
  visits: readonly ReservingVisit[],
): S {
  const span = spanOf(slot)
  const isTaken = schedules.get(schedule)?.some((actor) => {
    const own = visits.filter(({ actors }) => actors.has(actor))
    return isFull(own, span, capacities.get(actor) ?? 1)
  })
  return isTaken === true ? reserved(slot) : unreserved(slot)
}

/** The Slots of these actors that overlap a span, and are free or only reserved. */
export async function slotsOnOffer(ctx: Context, { schedules }: ActorsAtWork, span: Span): Promise<readonly Slot[]> {
  if (schedules.size === 0) return []
  const isTheirs = (slot: Slot): boolean =>
    isOnOffer(slot) && overlap(spanOf(slot), span) && schedules.has(scheduleIdOf(slot, ctx.baseUrl) ?? '')
  const statuses = ['free', 'busy-unavailable'] as const
  const stored = slotsReachingInto(ctx, schedules.keys(), { span, statuses, what: 'the slots of its actors' })
  return (await afterChange(ctx, 'Slot', stored, isTheirs)).filter(isTheirs)
}

export const spanOf = ({ start, end }: Slot): Span => spanBetween(start, end)

/** The smallest span that contains all of them. */
export const hullOf = (spans: readonly Span[]): Span => ({
  start: Math.min(...spans.map(({ start }) => start)),
  end: Math.max(...spans.map(({ end }) => end)),
})
