/**
 * Reserves the time of the actors of visits against double booking: a second overlapping visit is refused, and overlapping
 * Slots are not free. This is checked once the whole change is staged, as cancelling or moving a visit in it frees time for others.
 * docs/adr/026-reserved-time.md
 */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import {
  type ActorsAtWork,
  actorsAtWork,
  actorsOfSlots,
  claimReserved,
  hullOf,
  offeredBeside,
  type ReservingVisit,
  slotsOnOffer,
  spanOf,
  visitsBeside,
} from '../reservations/actors-at-work.ts'
import {
  claimTime,
  type Reading,
  type Reservation,
  reservationOf,
  scheduleIdOf,
  slotBeforeChange,
} from '../reservations/reservation.ts'
import { isHold, SLOT_HOLDING_STATUSES, stageOf } from '../scheduling/appointment-status.ts'
import { isFull, LONGEST_VISIT, RESERVING_STATUSES } from '../scheduling/reserving.ts'
import { noteSlot } from './waitlist.ts'

/** Visits written by the change, by Appointment.id, in their earlier state; undefined: new. */
interface Noted {
  readonly visits: Map<string, Appointment | undefined>
  /** Number of rounds of checks, as a check may write further visits. */
  rounds: number
}

const notedIn = new WeakMap<Context['unit'], Noted>()

/** Must be called before an Appointment is written or deleted, or its slots are created or deleted. */
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

/** A visit and its reserved time; a visit with status noshow holds only its slots. */
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
  // A Slot that the visit leaves becomes free, and may overlap the visit itself.
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

/** The actors whose reserved time grows; when a hold is booked, all of them. */
function grownActors(was: HeldTime | undefined, is: HeldTime): readonly string[] {
  if (!reserves(is)) return []
  const isWithin = was !== undefined && reserves(was) && was.start <= is.start && was.end >= is.end
  const isBookedAnew = was?.visit.status === 'pending' && is.visit.status !== 'pending'
  return isWithin && !isBookedAnew ? [...is.actors.difference(was.actors)] : [...is.actors]
}

/**
 * Updates the Slots that overlap the visit by whether their actors are free after the change.
 * @param grown actors whose reserved time grows
 * @throws FhirError 409 (422 by the clinic's policy) if one of them has another visit
 */
async function reserve(ctx: Context, id: string, held: HeldTime, grown: readonly string[]): Promise<void> {
  if (grown.length > 0) checkLimits(held, ctx.isImport && held.end <= ctx.now)
  const slots = await slotsOnOffer(ctx, await actorsAtWork(ctx, held.actors), held)
  await claimReserved(ctx, slots)
  // A Slot is free only while all its actors are, not just those of this visit.
  const atWork = await actorsAtWork(ctx, held.actors.union(await actorsOfSlots(ctx, slots)))
  const visits = await visitsBeside(ctx, atWork, hullOf([held, ...slots.map(spanOf)]))
  const others = visits.filter((visit) => visit.id !== id)
  await checkActors(ctx, held, grown, atWork, others)
  for (const slot of slots) {
    const offered = offeredBeside(slot, scheduleIdOf(slot, ctx.baseUrl) ?? '', atWork, visits)
    // Bypasses the rules of the provider, which apply to changes by users.
    if (offered !== slot) await ctx.unit.put(offered, 'PUT')
    // A slot beside a hold is noted once the hold is booked.
    const isTaken = grown.length > 0 && offered.status !== 'free'
    if (!isHold(held.visit) && (offered !== slot || isTaken)) noteSlot(ctx, slot.id ?? '')
  }
}

/** Most actors of one visit whose time it reserves. */
const MOST_ACTORS = 50

/** @param isPast true for an imported visit that is over: no other visit is refused because of it */
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

/** Imports keep the past as it was, and so do operators who record it. */
const isImportOfPast = ({ agent, isImport, now }: Context, { end, visit }: HeldTime): boolean =>
  end <= now &&
  (isImport || (agent.kind === 'user' && agent.role === 'operator' && stageOf(visit.status) === 'recorded'))
