/**
 * Appointment: booking takes its slots, moving changes them, cancelling frees them, in the same change.
 * https://hl7.org/fhir/R4/appointment.html
 */
import type { Appointment, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { checkStatusTransition, SLOT_HOLDING_STATUSES, slotStatusFor } from '../scheduling/appointment-status.ts'
import { checkTimes } from '../scheduling/slot-times.ts'

export const appointment = defineProvider('Appointment', {
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      await moveSlots(ctx, undefined, asAppointment(resource))
      return standard.create(ctx, resource)
    },
    update: async (ctx, resource) => {
      const before = await ctx.find<Appointment>('Appointment', resource.id)
      const updated = await standard.update(ctx, resource)
      await moveSlots(ctx, before?.resource, asAppointment(resource))
      return updated
    },
    delete: async (ctx, type, id) => {
      const before = await ctx.find<Appointment>('Appointment', id)
      const deleted = await standard.delete(ctx, type, id)
      if (before !== undefined) await moveSlots(ctx, before.resource, undefined)
      return deleted
    },
  },
  combined: [
    { equal: ['patient'], range: 'date' },
    { equal: ['actor', 'status'], range: 'date' },
  ],
})

const asAppointment = (resource: AnyResource): Appointment => resource as Appointment

/** The slots that an appointment holds and their status; none for one that is cancelled or not booked yet. */
interface Held {
  readonly ids: readonly string[]
  readonly as: Slot['status'] | undefined
}

/** @throws FhirError 409 or 422; then nothing of the change is written */
async function moveSlots(ctx: Context, before: Appointment | undefined, after: Appointment | undefined): Promise<void> {
  if (before !== undefined && after !== undefined) checkStatusTransition(before.status, after.status)
  const held = heldBy(ctx, before)
  const wanted = heldBy(ctx, after)
  for (const id of held.ids) if (!wanted.ids.includes(id)) await release(ctx, id, before?.id)
  const slots: Slot[] = []
  for (const [index, id] of wanted.ids.entries()) {
    const slot = held.ids.includes(id)
      ? await keepSlot(ctx, id, wanted.as)
      : await takeSlot(ctx, id, `Appointment.slot[${index}]`, wanted.as)
    if (slot !== undefined) slots.push(slot)
  }
  // An appointment that stays where it is can be changed although its slots were deleted or moved meanwhile.
  const isAtSamePlace = isAtSameTime(before, after) && held.ids.join() === wanted.ids.join()
  if (after !== undefined && !isAtSamePlace) checkTimes(after, slots)
}

function heldBy(ctx: Context, appointment: Appointment | undefined): Held {
  const ids = (appointment?.slot ?? []).map(({ reference }, index) => slotId(reference, index, ctx))
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (repeated >= 0)
    throw unprocessable(`Slot/${ids[repeated]} is named twice`, { expression: `Appointment.slot[${repeated}]` })
  const as = appointment === undefined ? undefined : slotStatusFor(appointment.status)
  return as === undefined ? { ids: [], as } : { ids, as }
}

function slotId(reference: string | undefined, index: number, { baseUrl }: Context): string {
  const { type, id, version } = localReference(reference ?? '', baseUrl) ?? {}
  if (type === 'Slot' && id !== undefined && version === undefined) return id
  const expression = `Appointment.slot[${index}].reference`
  throw unprocessable(`${expression} is '${reference ?? ''}'; name a slot of this clinic as Slot/<id>`, { expression })
}

const isAtSameTime = (before: Appointment | undefined, after: Appointment | undefined): boolean =>
  before !== undefined && before.start === after?.start && before.end === after?.end

/** A slot that the appointment holds already; undefined when it was deleted. A slot blocked meanwhile stays so. */
async function keepSlot(ctx: Context, id: string, as: Slot['status'] | undefined): Promise<Slot | undefined> {
  const slot = (await ctx.find<Slot>('Slot', id))?.resource
  if (slot !== undefined && as !== undefined && slot.status !== as && IN_USE.has(slot.status))
    await ctx.update<Slot>({ ...slot, status: as })
  return slot
}

const IN_USE: ReadonlySet<Slot['status']> = new Set(['free', 'busy', 'busy-tentative'])

/** @throws FhirError 422 when there is no such slot, 409 (or 422 by the clinic's policy) when it is taken. */
async function takeSlot(ctx: Context, id: string, expression: string, as: Slot['status'] | undefined): Promise<Slot> {
  const slot = (await ctx.find<Slot>('Slot', id))?.resource
  if (slot === undefined)
    throw unprocessable(`There is no slot ${id} to book`, { expression, reason: 'slot-not-found' })
  const isFree = slot.status === 'free'
  if (!isFree) await refuseTaken(ctx, slot, expression)
  // Written in any case, so that two changes of the bookings of one slot conflict.
  await ctx.update<Slot>(isFree && as !== undefined ? { ...slot, status: as } : { ...slot, overbooked: true })
  return slot
}

/** @throws FhirError unless the clinic allows overbooking. */
async function refuseTaken(ctx: Context, slot: Slot, expression: string): Promise<void> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.overbooking && slot.status === 'busy') return
  throw new FhirError(policies.slotTakenStatus, {
    code: 'conflict',
    diagnostics: `Slot/${slot.id} is ${slot.status}, so it cannot be booked; choose a free one (Slot?status=free)`,
    expression,
    reason: 'slot-unavailable',
  })
}

/** Frees a slot, unless it is gone, blocked meanwhile, or (overbooked) still held by another appointment. */
async function release(ctx: Context, id: string, by: string | undefined): Promise<void> {
  const slot = (await ctx.find<Slot>('Slot', id))?.resource
  if (slot === undefined || !IN_USE.has(slot.status)) return
  const holders = await ctx.search<Appointment>('Appointment', `slot=Slot/${id}&status=${SLOT_HOLDING_STATUSES.join()}`)
  const others = holders.filter((holder) => holder.id !== by).length
  const { overbooked: _overbooked, ...rest } = slot
  // Written in any case, as in takeSlot.
  await ctx.update<Slot>({ ...rest, ...(others === 0 ? { status: 'free' } : others > 1 ? { overbooked: true } : {}) })
}
