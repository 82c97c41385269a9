/**
 * Slots of imported visits (docs/imports.md). Visits and Slots arrive in any order, in one change or in several: a Slot
 * may be busy before its visit arrives, and a visit may name a Slot that has not arrived yet.
 */
import type { Appointment, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { FhirError } from '../fhir/outcome.ts'
import { slotStatusFor, stageOf } from '../scheduling/appointment-status.ts'
import { isOnOffer, isUnblocked, unreserved } from '../scheduling/reserved-slot.ts'
import { checkOneSchedule, checkTimes, hasEnded } from '../scheduling/slot-times.ts'
import { holdersOf, type Named, namedSlots, slotsOf } from './named-slots.ts'
import { noteVisit } from './reserve-time.ts'
import { noteSlot } from './waitlist.ts'

/**
 * A slot taken by a visit; undefined if it has not arrived yet. A busy one is taken as busy because of this visit,
 * unless another stored visit holds it; blocked ones stay blocked.
 * @throws FhirError 409 (422 by the clinic's policy) if another visit holds it and this one is not over yet
 */
export async function takeImported(ctx: Context, { id, index }: Named, visit: Appointment): Promise<Slot | undefined> {
  const others = (await holdersOf(ctx, id)).filter((holder) => holder.id !== visit.id)
  if (!hasEnded(visit, ctx.now)) await refuseSecond(ctx, id, others, `Appointment.slot[${index}]`)
  const found = (await ctx.find<Slot>('Slot', id))?.resource
  // The slot may arrive in a concurrent change.
  if (found === undefined) await ctx.searchGuarded<Slot>('Slot', `_id=${id}`)
  else await write(ctx, found, heldBy(found, [visit, ...others]))
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
  return isOnOffer(slot) ? heldBy(slot, holders) : slot
}

/** Checks, once the change is staged, that the visit fits its slots if all of these have arrived. */
export const checkSlotsOf = (ctx: Context, { id = '' }: Appointment): void =>
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
  throw new FhirError(policies.slotTakenStatus, {
    code: 'conflict',
    diagnostics: `Slot/${id} is held by Appointment/${other.id} (${other.status}), and an import brings no second visit of a slot that is yet to come; cancel one of them, or move it`,
    expression,
    reason: 'slot-unavailable',
  })
}

function heldBy(slot: Slot, visits: readonly Appointment[]): Slot {
  const free = unreserved(slot)
  if (!isUnblocked(free)) return slot
  const status = visits.map((visit) => slotStatusFor(visit.status)).includes('busy') ? 'busy' : 'busy-tentative'
  return { ...free, status, ...(visits.length > 1 ? { overbooked: true } : {}) }
}

/** Always written, so that two changes to the bookings of one slot conflict. */
async function write(ctx: Context, before: Slot, after: Slot): Promise<void> {
  const { id } = await ctx.unit.put(after, 'PUT')
  if (before.status !== after.status) noteSlot(ctx, id)
}
