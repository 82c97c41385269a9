/**
 * Holds that expire. A record for each says until when; it is written and deleted in the change that writes the
 * Appointment, whatever writes that, so no hold outlives its appointment and none is forgotten.
 */
import type { Appointment, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { recordKind } from '../repository/record-kinds.ts'
import { slotStatusFor } from '../scheduling/appointment-status.ts'
import { cancelledByExpiry, DEFAULT_HOLD_MINUTES, holdExpired, withHoldEnd } from '../scheduling/hold.ts'
import { moveSlots } from './held-slots.ts'
import { holdersOf } from './holders.ts'
import { namedSlots } from './named-slots.ts'
import { noteVisit } from './reserve-time.ts'

const MINUTE = 60_000

export const HOLD = recordKind<Hold>('hold')

export interface Hold {
  /** When the hold ends; milliseconds since 1970 UTC. */
  readonly until: number
}

/** Stages that the Appointment of this id, which the same change makes pending, is held from now on. */
export async function stageHold({ unit, clinic }: Context, id: string): Promise<void> {
  const { policies } = await readSettings(unit, clinic)
  // Should one have been left there, it is replaced.
  await unit.records.read(HOLD, id)
  const until = unit.now + (policies.holdMinutes ?? DEFAULT_HOLD_MINUTES) * MINUTE
  unit.records.put(HOLD, id, { until }, { due: until })
}

/**
 * What is written of an appointment, so that it agrees with the record of its hold: one that is not pending any more
 * ends it, and the extension shows its end, whatever the client has sent there.
 * @throws FhirError 409 when the hold has expired, and the appointment is neither cancelled nor entered-in-error
 */
export async function withHold(
  ctx: Context,
  before: Appointment | undefined,
  after: Appointment,
): Promise<Appointment> {
  const hold = await holdOf(ctx, before, after.id ?? '')
  if (hold === undefined) return withHoldEnd(after, undefined)
  if (after.status === 'pending') {
    if (hold.until <= ctx.now) throw holdExpired(after.id)
    return withHoldEnd(after, hold.until)
  }
  if (hold.until <= ctx.now && after.status !== 'cancelled' && after.status !== 'entered-in-error')
    throw holdExpired(after.id)
  ctx.unit.records.delete(HOLD, after.id ?? '')
  return withHoldEnd(after, undefined)
}

/** Ends the hold of an appointment that is deleted. */
export async function endHold(ctx: Context, before: Appointment): Promise<void> {
  const id = before.id ?? ''
  if ((await holdOf(ctx, before, id)) !== undefined) ctx.unit.records.delete(HOLD, id)
}

/** Only what is pending is held; of what has just been staged the record is staged too. */
async function holdOf({ unit }: Context, before: Appointment | undefined, id: string): Promise<Hold | undefined> {
  const record = before?.status === 'pending' ? await unit.records.read(HOLD, id) : unit.records.known(HOLD, id)
  return record?.value
}

/** Ends the expired holds of the slots that an appointment is about to take, which frees them in the same change. */
export async function endHoldsInTheWay(ctx: Context, after: Appointment): Promise<void> {
  if (slotStatusFor(after.status) === undefined) return
  for (const { id } of namedSlots(ctx, after)) await endExpiredHolds(ctx, id)
}

/**
 * A slot that is held has its holds looked at, and is free where the last one has expired. One that is overbooked is busy,
 * also where only a hold is left of its bookings.
 */
export async function endExpiredHolds(ctx: Context, slotId: string): Promise<void> {
  const slot = (await ctx.find<Slot>('Slot', slotId))?.resource
  if (slot?.status !== 'busy-tentative' && slot?.status !== 'busy') return
  for (const holder of await holdersOf(ctx, slotId)) {
    if (holder.status === 'pending') await endIfExpired(ctx, holder.id ?? '')
  }
}

/**
 * Stages the end of a hold that has expired; does nothing where there is none, or it goes on. It asks for no profile, as a
 * hold must end whatever the appointment declares.
 * @returns whether there was one that has expired
 */
export async function endIfExpired(ctx: Context, id: string): Promise<boolean> {
  const { unit } = ctx
  const hold = await unit.records.read(HOLD, id)
  if (hold === undefined || hold.value.until > ctx.now) return false
  unit.records.delete(HOLD, id)
  const held = (await ctx.find<Appointment>('Appointment', id))?.resource
  // Otherwise somebody has written beneath the rules of Appointment.
  if (held?.status !== 'pending') return true
  const { resource } = await unit.put(withHoldEnd(cancelledByExpiry(held), undefined), 'PUT')
  noteVisit(ctx, id, held)
  await moveSlots(ctx, held, resource)
  return true
}
