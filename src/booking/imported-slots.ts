/**
 * Slots of visits that an import brings (docs/imports.md). Visits and Slots come in any order, in one change or in several: a Slot
 * may be busy before its visit is here, and a visit may name a Slot that is not here yet.
 */
import type { Appointment, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { FhirError } from '../fhir/outcome.ts'
import { slotStatusFor, stageOf } from '../scheduling/appointment-status.ts'
import { isOnOffer, isUnblocked, unreserved } from '../scheduling/reserved-slot.ts'
import { checkOneSchedule, checkTimes, hasEnded } from '../scheduling/slot-times.ts'
import { holdersOf } from './holders.ts'
import { type Named, namedSlots, slotsOf } from './named-slots.ts'
import { noteVisit } from './reserve-time.ts'
import { noteSlot } from './waitlist.ts'

/**
 * A slot that a visit takes; undefined where it is not here yet. One that is busy is so by this visit, unless another one
 * that is here holds it; blocked ones stay blocked.
 * @throws FhirError 409 (422 by the clinic's policy) where another visit holds it and this one is not over yet
 */
export async function takeImported(ctx: Context, { id, index }: Named, visit: Appointment): Promise<Slot | undefined> {
  const others = (await holdersOf(ctx, id)).filter((holder) => holder.id !== visit.id)
  if (!hasEnded(visit, ctx.now)) await refuseSecond(ctx, id, others, `Appointment.slot[${index}]`)
  const found = (await ctx.find<Slot>('Slot', id))?.resource
  // It may come at the same moment.
  if (found === undefined) await ctx.searchGuarded<Slot>('Slot', `_id=${id}`)
  else await write(ctx, found, heldBy(found, [visit, ...others]))
  return found
}

/**
 * A Slot as it is to be stored: visits that are here already hold it, whatever status it comes with.
 * @throws FhirError 409 (422 by the clinic's policy) where two of them do, and one is not over yet
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

/** When all is staged: the visit fits its slots, if they are all here by then. */
export const checkSlotsOf = (ctx: Context, { id = '' }: Appointment): void =>
  ctx.unit.checkBeforeCommit(`the slots of Appointment/${id}`, async () => {
    const visit = (await ctx.find<Appointment>('Appointment', id))?.resource
    if (visit === undefined || !isAtTimeOfSlots(visit)) return
    const slots = await slotsOf(ctx, visit)
    if (slots.length < namedSlots(ctx, visit).length) return
    checkOneSchedule(slots, ctx.baseUrl)
    checkTimes(visit, slots)
  })

/** Not one that has no time yet, or that is cancelled and keeps its slots as they were. */
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

/** Written in any case, so that two changes of the bookings of one slot conflict. */
async function write(ctx: Context, before: Slot, after: Slot): Promise<void> {
  const { id } = await ctx.unit.put(after, 'PUT')
  if (before.status !== after.status) noteSlot(ctx, id)
}
