/**
 * Slots held by an appointment: taken, kept and freed in the change that writes the appointment, so that none is booked
 * twice. In an import
 * (docs/imports.md) visits and Slots arrive in any order, in one change or in several: a Slot may be busy before its visit
 * arrives, and a visit may name a Slot that has not arrived yet.
 */
import type { Appointment, Slot } from 'fhir/r4'
import { isInNotAvailable } from '../availability/not-available.ts'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { isHold, slotStatusFor, stageOf } from '../scheduling/appointment-status.ts'
import { isOnOffer, isUnblocked, unreserved } from '../scheduling/generated-slot.ts'
import { checkOneSchedule, checkTimes, hasEnded, isSamePeriod } from '../scheduling/slot-times.ts'
import { holdersOf, type Named, namedSlots, noSuchSlot, slotsOf, slotUnavailable } from './named-slots.ts'
import { noteVisit } from './reserve-time.ts'
import { noteSlot } from './waitlist.ts'

/** The held slots and their status; no slots for an appointment that is cancelled or not booked yet. */
interface Held {
  readonly slots: readonly Named[]
  readonly as: Slot['status'] | undefined
}

/**
 * Takes the slots that `after` holds, and frees those that only `before` held.
 * @throws FhirError 409 or 422; nothing of the change is then committed
 */
export async function moveSlots(
  ctx: Context,
  before: Appointment | undefined,
  after: Appointment | undefined,
): Promise<void> {
  const named = after === undefined ? [] : namedSlots(ctx, after)
  const namedBefore = before === undefined ? [] : namedSlots(ctx, before)
  const held = heldBy(before, namedBefore)
  const wanted = heldBy(after, named)
  const isNamed = new Set(wanted.slots.map(({ id }) => id))
  for (const { id } of held.slots) if (!isNamed.has(id)) await release(ctx, id, before)
  if (after === undefined) return
  const slots =
    wanted.as === undefined ? await proposedSlots(ctx, before, after, named) : await hold(ctx, held, wanted, after)
  // An appointment that keeps its place can be changed even if its slots were deleted or moved by a version that allowed it.
  const isSamePlace = before !== undefined && isSamePeriod(before, after) && isSame(namedBefore, named)
  if (isSamePlace && isSame(held.slots, wanted.slots)) return
  if (ctx.isImport) return checkSlotsOf(ctx, after)
  checkOneSchedule(slots, ctx.baseUrl)
  if (after.start !== undefined || wanted.as !== undefined) checkTimes(after, slots)
}

async function hold(ctx: Context, held: Held, wanted: Held, after: Appointment): Promise<readonly Slot[]> {
  const isHeld = new Set(held.slots.map(({ id }) => id))
  const slots: Slot[] = []
  for (const slot of wanted.slots) {
    const found = isHeld.has(slot.id)
      ? await keepSlot(ctx, slot.id, { by: after.id, from: held.as, to: wanted.as })
      : await (ctx.isImport ? takeImported(ctx, slot, after) : takeSlot(ctx, slot, wanted.as, after))
    if (found !== undefined) slots.push(found)
  }
  return slots
}

/** The slots of an appointment that names but does not hold them; newly named ones must exist. */
async function proposedSlots(
  ctx: Context,
  before: Appointment | undefined,
  after: Appointment,
  named: readonly Named[],
): Promise<readonly Slot[]> {
  if (ctx.isImport || stageOf(after.status) === 'recorded') return []
  const known = new Set(before?.slot?.map(({ reference }) => reference))
  const slots: Slot[] = []
  for (const { id, index } of named) {
    const slot = (await ctx.find<Slot>('Slot', id))?.resource
    if (slot !== undefined) slots.push(slot)
    else if (!known.has(after.slot?.[index]?.reference)) throw noSuchSlot(id, index)
  }
  return slots
}

function heldBy(appointment: Appointment | undefined, named: readonly Named[]): Held {
  const as = appointment === undefined ? undefined : slotStatusFor(appointment.status)
  return as === undefined ? { slots: [], as } : { slots: named, as }
}

const isSame = (one: readonly Named[], other: readonly Named[]): boolean => idsOf(one) === idsOf(other)

const idsOf = (slots: readonly Named[]): string => slots.map(({ id }) => id).join()

/** Change of the status of a held slot; `by` is Appointment.id. */
interface Kept {
  readonly by: string | undefined
  readonly from: Slot['status'] | undefined
  readonly to: Slot['status'] | undefined
}

/**
 * A slot that the appointment holds already; undefined if it was deleted. A slot blocked meanwhile stays blocked, and
 * one booked by another appointment (overbooked) stays busy.
 */
async function keepSlot(ctx: Context, id: string, { by, from, to }: Kept): Promise<Slot | undefined> {
  const slot = (await ctx.find<Slot>('Slot', id))?.resource
  if (slot === undefined || to === undefined || !isUnblocked(slot)) return slot
  const mayBeBooked = to === 'busy-tentative' && slot.status === 'busy'
  const status = mayBeBooked && isBooked(await othersHolding(ctx, id, by)) ? 'busy' : to
  // In an overbooked slot, a change of status affects the other appointments, so the slot is always written, as in
  // takeSlot.
  if (slot.status !== status || (slot.overbooked === true && from !== to)) await ctx.update<Slot>({ ...slot, status })
  return slot
}

const othersHolding = async (ctx: Context, id: string, by: string | undefined): Promise<readonly Appointment[]> =>
  (await holdersOf(ctx, id)).filter((holder) => holder.id !== by)

/** True if one of the holders has it booked. */
const isBooked = (holders: readonly Appointment[]): boolean =>
  holders.some(({ status }) => slotStatusFor(status) === 'busy')

/**
 * Returns undefined for a slot that does not exist, in which a recorded visit may have taken place.
 * @throws FhirError 422 if there is no such slot; 409 (or 422 by the clinic's policy) if it is taken
 */
async function takeSlot(
  ctx: Context,
  { id, index }: Named,
  as: Slot['status'] | undefined,
  { status }: Appointment,
): Promise<Slot | undefined> {
  const found = (await ctx.find<Slot>('Slot', id))?.resource
  if (found === undefined && stageOf(status) === 'recorded') return undefined
  if (found === undefined) throw noSuchSlot(id, index)
  // Whether its actors are free is checked when the whole change is staged, as the change may free them.
  const slot = unreserved(found)
  const isFree = slot.status === 'free'
  if (!isFree) await refuseTaken(ctx, slot, `Appointment.slot[${index}]`)
  // Always written, so that two changes to the bookings of one slot conflict.
  await ctx.update<Slot>(isFree && as !== undefined ? { ...slot, status: as } : { ...slot, overbooked: true })
  return slot
}

/** @throws FhirError unless the clinic allows overbooking */
async function refuseTaken(ctx: Context, slot: Slot, expression: string): Promise<void> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.overbooking && slot.status === 'busy') return
  const diagnostics = `Slot/${slot.id} is ${slot.status}, so it cannot be booked; choose a free one (Slot?status=free)${slot.status === 'busy-tentative' ? ', or, where you hold it, book the Appointment in the response of $hold' : ''}`
  throw await slotUnavailable(ctx, diagnostics, expression)
}

/**
 * Frees a slot, unless it was deleted, blocked meanwhile, or (overbooked) is still held by another appointment. In time in
 * which its Schedule is not available it goes, as no Slot would be generated there.
 */
async function release(ctx: Context, id: string, by: Appointment | undefined): Promise<void> {
  const slot = (await ctx.find<Slot>('Slot', id))?.resource
  if (slot === undefined || !isUnblocked(slot)) return
  const others = await othersHolding(ctx, id, by?.id)
  if (others.length === 0 && (await isInNotAvailable(ctx, slot))) {
    await ctx.unit.delete('Slot', id)
    noteSlot(ctx, id)
    return
  }
  const status = others.length === 0 ? 'free' : isBooked(others) ? 'busy' : slot.status
  const { overbooked: _overbooked, ...rest } = slot
  // Always written, as in takeSlot, and without the rules of the Slot provider: whether its actors are free is checked
  // later.
  await ctx.unit.put<Slot>({ ...rest, status, ...(others.length > 1 ? { overbooked: true } : {}) }, 'PUT')
  // A slot that was only held has not been taken from anybody.
  const wasOnlyHeld = slot.status === 'busy-tentative' && by !== undefined && isHold(by)
  if (status !== slot.status && !wasOnlyHeld) noteSlot(ctx, id)
}

/**
 * A slot taken by a visit; undefined if it has not arrived yet. A busy one is taken as busy because of this visit,
 * unless another stored visit holds it; blocked ones stay blocked.
 * @throws FhirError 409 (422 by the clinic's policy) if another visit holds it and this one is not over yet
 */
async function takeImported(ctx: Context, { id, index }: Named, visit: Appointment): Promise<Slot | undefined> {
  const others = (await holdersOf(ctx, id)).filter((holder) => holder.id !== visit.id)
  if (!hasEnded(visit, ctx.now)) await refuseSecond(ctx, id, others, `Appointment.slot[${index}]`)
  const found = (await ctx.find<Slot>('Slot', id))?.resource
  // The slot may arrive in a concurrent change.
  if (found === undefined) await ctx.searchGuarded<Slot>('Slot', `_id=${id}`)
  else await writeTaken(ctx, found, heldByVisits(found, [visit, ...others]))
  return found
}

/**
 * A Slot to be stored: visits that have arrived before hold it, whatever its own status.
 * @throws FhirError 409 (422 by the clinic's policy) if two of them do, and one is not over yet
 */
export async function asHeld(ctx: Context, slot: Slot & { readonly id: string }, isNew: boolean): Promise<Slot> {
  const holders = await holdersOf(ctx, slot.id)
  const [first, ...others] = holders
  if (first === undefined) return slot
  if (isNew) {
    if (holders.some((holder) => !hasEnded(holder, ctx.now))) await refuseSecond(ctx, slot.id, others, 'Slot')
    for (const holder of holders) {
      noteVisit(ctx, holder.id ?? '', holder)
      checkSlotsOf(ctx, holder)
    }
  }
  return isOnOffer(slot) ? heldByVisits(slot, holders) : slot
}

/** Checks, once the change is staged, that the visit fits its slots if all of these have arrived. */
const checkSlotsOf = (ctx: Context, { id = '' }: Appointment): void =>
  ctx.unit.checkBeforeCommit(`the slots of Appointment/${id}`, async () => {
    const visit = (await ctx.find<Appointment>('Appointment', id))?.resource
    if (visit === undefined || !isAtTimeOfSlots(visit)) return
    const slots = await slotsOf(ctx, visit)
    if (slots.length < namedSlots(ctx, visit).length) return
    checkOneSchedule(slots, ctx.baseUrl)
    checkTimes(visit, slots)
  })

/** Excludes a visit without a time, and a cancelled one, which keeps its slots as they were. */
const isAtTimeOfSlots = ({ status, start }: Appointment): boolean =>
  slotStatusFor(status) !== undefined || (start !== undefined && stageOf(status) !== 'recorded')

async function refuseSecond(
  ctx: Context,
  id: string,
  [other]: readonly Appointment[],
  expression: string,
): Promise<void> {
  if (other === undefined) return
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.overbooking) return
  const diagnostics = `Slot/${id} is held by Appointment/${other.id} (${other.status}), and an import brings no second visit of a slot that is yet to come; cancel one of them, or move it`
  throw await slotUnavailable(ctx, diagnostics, expression)
}

function heldByVisits(slot: Slot, visits: readonly Appointment[]): Slot {
  const free = unreserved(slot)
  if (!isUnblocked(free)) return slot
  const status = visits.map((visit) => slotStatusFor(visit.status)).includes('busy') ? 'busy' : 'busy-tentative'
  return { ...free, status, ...(visits.length > 1 ? { overbooked: true } : {}) }
}

/** Always written, so that two changes to the bookings of one slot conflict. */
async function writeTaken(ctx: Context, before: Slot, after: Slot): Promise<void> {
  const { id } = await ctx.unit.put(after, 'PUT')
  if (before.status !== after.status) noteSlot(ctx, id)
}
