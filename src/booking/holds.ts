/**
 * Holds with an expiry. Each has a record with its end, written and deleted in the change that writes the Appointment,
 * whatever causes that; so no hold outlives its appointment, and every hold has a record.
 */
import type { Appointment, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import { newId } from '../fhir/new-id.ts'
import type { FhirError } from '../fhir/outcome.ts'
import type { BackgroundLoop, LoopPace } from '../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../repository/due-records.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Versioned } from '../repository/repository.ts'
import {
  cancelledByExpiry,
  checkMayBecome,
  DEFAULT_HOLD_MINUTES,
  holdExpired,
  slotStatusFor,
  withHoldEnd,
} from '../scheduling/appointment-status.ts'
import { moveSlots } from './held-slots.ts'
import { holdersOf, namedSlots, slotUnavailable } from './named-slots.ts'
import { findAppointment } from './proposal.ts'
import { noteVisit } from './reserve-time.ts'

const MINUTE = 60_000

export const HOLD = recordKind<Hold>('hold')

export interface Hold {
  /** The end of the hold, in milliseconds since 1970 UTC. */
  readonly until: number
}

/** Stages the hold of the Appointment with this id, which the same change makes pending. */
async function stageHold({ unit, clinic }: Context, id: string): Promise<void> {
  const { policies } = await readSettings(unit, clinic)
  // Read so that a leftover record is replaced.
  await unit.records.read(HOLD, id)
  const until = unit.now + (policies.holdMinutes ?? DEFAULT_HOLD_MINUTES) * MINUTE
  unit.records.put(HOLD, id, { until }, { due: until })
}

/**
 * Makes an appointment agree with the record of its hold: one that is no longer pending ends the hold, and the
 * extension shows its end, whatever the client sent there.
 * @throws FhirError 409 if the hold has expired, and the appointment is neither cancelled nor entered-in-error
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

/** Ends the hold of a deleted appointment. */
export async function endHold(ctx: Context, before: Appointment): Promise<void> {
  const id = before.id ?? ''
  if ((await holdOf(ctx, before, id)) !== undefined) ctx.unit.records.delete(HOLD, id)
}

/** Only a pending appointment has a hold. For one staged in this change, the record is staged too. */
async function holdOf({ unit }: Context, before: Appointment | undefined, id: string): Promise<Hold | undefined> {
  const record = before?.status === 'pending' ? await unit.records.read(HOLD, id) : unit.records.known(HOLD, id)
  return record?.value
}

/**
 * Ends the expired holds of the slots that an appointment is about to take, which frees the slots in the same change.
 */
export async function endHoldsInTheWay(ctx: Context, after: Appointment): Promise<void> {
  if (slotStatusFor(after.status) === undefined) return
  for (const { id } of namedSlots(ctx, after)) await endExpiredHolds(ctx, id)
}

/**
 * Ends the expired holds of a slot, which is free after the last one. An overbooked slot is busy even if only a hold
 * is left.
 */
export async function endExpiredHolds(ctx: Context, slotId: string): Promise<void> {
  const slot = (await ctx.find<Slot>('Slot', slotId))?.resource
  if (slot?.status !== 'busy-tentative' && slot?.status !== 'busy') return
  for (const holder of await holdersOf(ctx, slotId)) {
    if (holder.status === 'pending') await endIfExpired(ctx, holder.id ?? '')
  }
}

/**
 * Stages the end of a hold that has expired; does nothing if there is none, or it is still valid. It checks no
 * profile, as a hold must end whatever the appointment declares.
 * @returns whether a hold had expired
 */
async function endIfExpired(ctx: Context, id: string): Promise<boolean> {
  const { unit } = ctx
  const hold = await unit.records.read(HOLD, id)
  if (hold === undefined || hold.value.until > ctx.now) return false
  unit.records.delete(HOLD, id)
  const held = (await ctx.find<Appointment>('Appointment', id))?.resource
  // Otherwise the appointment was written without the rules of the Appointment provider.
  if (held?.status !== 'pending') return true
  const { resource } = await unit.put(withHoldEnd(cancelledByExpiry(held), undefined), 'PUT')
  noteVisit(ctx, id, held)
  await moveSlots(ctx, held, resource)
  return true
}

/**
 * Holds the time of an appointment until it is booked, IHE ITI-116: stages it as pending until the hold expires. One offered by $find is stored under an id of its own.
 * @param id Appointment.id of one offered by $find, or of a stored one that is proposed
 * @param expression name of the parameter, for the message
 * @throws FhirError 404, 409, 410 or 422
 */
export async function hold(
  ctx: Context,
  id: string,
  expression = 'appointment-reference',
): Promise<Versioned<Appointment>> {
  const found = await findAppointment(ctx, id, expression)
  if (found.kind === 'offered') {
    const heldId = newId()
    await stageHold(ctx, heldId)
    return await ctx.create<Appointment>({ ...found.proposal, id: heldId, status: 'pending' })
  }
  const { resource } = found.stored
  if (resource.status === 'pending') throw await alreadyHeld(ctx, id, expression)
  checkMayBecome(resource, 'pending')
  await stageHold(ctx, id)
  return await ctx.update<Appointment>({ ...resource, status: 'pending' })
}

const alreadyHeld = (ctx: Context, id: string, expression: string): Promise<FhirError> =>
  slotUnavailable(ctx, `Appointment/${id} is held already, and a hold is not prolonged; book or cancel it`, expression)

/**
 * How long the end of the next hold is cached, in milliseconds: shorter than any hold, so that a hold created meanwhile
 * ends later.
 */
const KNOWN_FOR = 1_000
/** Most holds ended by one change. */
const AT_ONCE = 20
/** Most changes of one read; the rest is left to the background. */
const MOST_CHANGES = 5

/**
 * Ends the expired holds of the clinic before a read: the background gets to them a moment later, and until then their
 * slots would appear to be held.
 */
export async function endDueHolds(access: ClinicAccess): Promise<void> {
  const { unit, now } = await access.reader()
  const part = Math.floor(now / KNOWN_FOR)
  const next = await unit.recentAnswer(`when the next hold ends, in ${part}`, [], async () =>
    nextEnd(await access.reader()),
  )
  for (let changes = 0; next <= now && changes < MOST_CHANGES; changes++) {
    // Repeatable: a second run finds nothing to end.
    if ((await access.change(endSome, { isRepeatable: true })) < AT_ONCE) return
  }
}

/** The end of the next hold in milliseconds since 1970 UTC; infinite if nothing is held. */
async function nextEnd({ unit }: Context): Promise<number> {
  const [first] = await unit.records.due(HOLD, { before: Number.MAX_SAFE_INTEGER, limit: 1 })
  return first?.due ?? Number.POSITIVE_INFINITY
}

/** @returns the number of holds that were due */
async function endSome(ctx: Context): Promise<number> {
  const due = await ctx.unit.records.due(HOLD, { before: ctx.now, limit: AT_ONCE })
  for (const { key } of due) await endIfExpired(ctx, key)
  return due.length
}

/** Ends holds when they expire, in the background, including those that expired while no server ran. */
export const holdExpiry = (services: DueServicesOf<ClinicAccess>, pace?: LoopPace): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: HOLD,
      finish: (clinic, id) => services.accessOf(clinic).change((ctx) => endIfExpired(ctx, id)),
      failure: 'a hold that has expired could not be ended',
    },
    pace,
  )
