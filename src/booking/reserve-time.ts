/**
 * Reserves the time of the actors of visits: a second visit that overlaps is refused, and Slots that overlap are not free.
 * It is looked at when the whole change is staged, as one that cancels a visit, or moves it, frees its time for others.
 * docs/adr/026-reserved-time.md
 */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { type ActorsAtWork, actorsAtWork } from '../reservations/actors-at-work.ts'
import {
  actorsOfSlots,
  claimReserved,
  hullOf,
  offeredBeside,
  slotsOnOffer,
  spanOf,
} from '../reservations/offered-slots.ts'
import { type Reading, type Reservation, reservationOf, slotBeforeChange } from '../reservations/reservation.ts'
import { scheduleIdOf } from '../reservations/schedule-of-slot.ts'
import { claimTime } from '../reservations/time-records.ts'
import { type ReservingVisit, visitsBeside } from '../reservations/visits-beside.ts'
import { SLOT_HOLDING_STATUSES, stageOf } from '../scheduling/appointment-status.ts'
import { isFull, LONGEST_VISIT, RESERVING_STATUSES } from '../scheduling/reserving.ts'
import { noteSlot } from './waitlist.ts'

/** Visits that a change has written, as they were before; undefined: new. By Appointment.id. */
interface Noted {
  readonly visits: Map<string, Appointment | undefined>
  /** How often they have been looked at, as that may write others. */
  rounds: number
}

const notedIn = new WeakMap<Context['unit'], Noted>()

/** To be called by what writes or deletes an Appointment, or makes or deletes its slots, before they are written. */
export function noteVisit(ctx: Context, id: string, before: Appointment | undefined): void {
  const noted = notedIn.get(ctx.unit) ?? { visits: new Map(), rounds: 0 }
  notedIn.set(ctx.unit, noted)
  if (noted.visits.has(id)) return
  if (noted.visits.size === 0) {
    noted.rounds += 1
    ctx.unit.checkBeforeCommit(`the time of actors, ${noted.rounds}`, () => settleNoted(ctx, noted))
  }
  noted.visits.set(id, before)
}

async function settleNoted(ctx: Context, { visits }: Noted): Promise<void> {
  const changed = [...visits]
  visits.clear()
  for (const [id, before] of changed) await settle(ctx, id, before)
}

/** A visit and the time that it holds; of one that nobody has come to, its slots alone. */
interface HeldTime extends Reservation {
  readonly visit: Appointment
}

async function heldTime(
  ctx: Context,
  visit: Appointment | undefined,
  reading: Omit<Reading, 'statuses'> = {},
): Promise<HeldTime | undefined> {
  const reservation = await reservationOf(ctx, visit, { ...reading, statuses: SLOT_HOLDING_STATUSES })
  return reservation && visit && { ...reservation, visit }
}

async function settle(ctx: Context, id: string, before: Appointment | undefined): Promise<void> {
  const after = (await ctx.find<Appointment>('Appointment', id))?.resource
  const was = await heldTime(ctx, before, { find: slotBeforeChange })
  const is = await heldTime(ctx, after)
  const grown = is === undefined ? [] : grownActors(was, is)
  const isKept = was !== undefined && is !== undefined && isSameTime(was, is)
  // A Slot that the visit leaves is free again, and may overlap the visit itself.
  const isUnchanged = isKept && isDeepStrictEqual(was.visit.slot, is.visit.slot)
  if (grown.length === 0 && (was === undefined || isUnchanged)) return
  for (const held of [was, is]) if (held !== undefined) await claimTime(ctx, held)
  if (is !== undefined) await reserve(ctx, id, is, grown)
  if (was !== undefined && !isKept) await reserve(ctx, id, was, [])
}

const reserves = ({ visit }: HeldTime): boolean => RESERVING_STATUSES.includes(visit.status)

const isSameTime = (one: HeldTime, other: HeldTime): boolean =>
  one.start === other.start &&
  one.end === other.end &&
  one.actors.symmetricDifference(other.actors).size === 0 &&
  reserves(one) === reserves(other)

/** The actors of whose time the visit reserves more than before: all of them, too, when a hold is booked. */
function grownActors(was: HeldTime | undefined, is: HeldTime): readonly string[] {
  if (!reserves(is)) return []
  const isWithin = was !== undefined && reserves(was) && was.start <= is.start && was.end >= is.end
  const isBookedAnew = was?.visit.status === 'pending' && is.visit.status !== 'pending'
  return isWithin && !isBookedAnew ? [...is.actors.difference(was.actors)] : [...is.actors]
}

/**
 * Makes the Slots that overlap the visit free or not, as its actors are after the change.
 * @param grown actors of whose time it reserves more than before
 * @throws FhirError 409 (422 by the clinic's policy) where one of them has another visit
 */
async function reserve(ctx: Context, id: string, held: HeldTime, grown: readonly string[]): Promise<void> {
  if (grown.length > 0) checkLimits(held, ctx.isImport && held.end <= ctx.now)
  const slots = await slotsOnOffer(ctx, await actorsAtWork(ctx, held.actors), held)
  await claimReserved(ctx, slots)
  // A Slot is free while all its actors are, not only those of this visit.
  const atWork = await actorsAtWork(ctx, held.actors.union(await actorsOfSlots(ctx, slots)))
  const visits = await visitsBeside(ctx, atWork, hullOf([held, ...slots.map(spanOf)]))
  const others = visits.filter((visit) => visit.id !== id)
  await checkActors(ctx, held, grown, atWork, others)
  for (const slot of slots) {
    const offered = offeredBeside(slot, scheduleIdOf(slot, ctx.baseUrl) ?? '', atWork, visits)
    if (offered === slot) continue
    // Beneath the rules of the provider, which are for what people change.
    const { id: written } = await ctx.unit.put(offered, 'PUT')
    noteSlot(ctx, written)
  }
}

/** Actors of one visit whose time it reserves, at most. */
const MOST_ACTORS = 50

/** @param isPast it is imported, and over: no other visit is refused for it */
function checkLimits({ start, end, actors, visit }: HeldTime, isPast: boolean): void {
  if (actors.size > MOST_ACTORS)
    throw unprocessable(
      `The visit reserves the time of ${actors.size} practitioners, rooms and devices, and may reserve that of ${MOST_ACTORS}; make several appointments`,
      { expression: 'Appointment.participant', reason: 'too-many-actors' },
    )
  if (end - start <= LONGEST_VISIT || isPast) return
  throw unprocessable(
    `Appointment.end is ${visit.end}, more than 24 hours after its start; a visit that reserves the time of a practitioner, room or device lasts 24 hours at most, so make one for each day`,
    { expression: 'Appointment.end', reason: 'visit-too-long' },
  )
}

async function checkActors(
  ctx: Context,
  held: HeldTime,
  grown: readonly string[],
  { capacities }: ActorsAtWork,
  others: readonly ReservingVisit[],
): Promise<void> {
  const busy = grown.find((actor) => {
    const own = others.filter(({ actors }) => actors.has(actor))
    return isFull(own, held, capacities.get(actor) ?? 1)
  })
  if (busy === undefined || isImportOfPast(ctx, held)) return
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.overbooking) return
  const { start, end, slot = [] } = held.visit
  throw new FhirError(policies.slotTakenStatus, {
    code: 'conflict',
    diagnostics: `${busy} has another visit that overlaps ${start} to ${end}; choose a time that is free ($find, Slot?status=free), or somebody else`,
    expression: slot.length > 0 ? 'Appointment.slot[0]' : 'Appointment.participant',
    reason: 'slot-unavailable',
  })
}

/** An import brings the past as it was; so does what an operator records of it. */
const isImportOfPast = ({ agent, isImport, now }: Context, { end, visit }: HeldTime): boolean =>
  end <= now &&
  (isImport || (agent.kind === 'user' && agent.role === 'operator' && stageOf(visit.status) === 'recorded'))
