/**
 * Appointment: booking takes its slots, moving changes them, cancelling frees them, in the same change.
 * https://hl7.org/fhir/R4/appointment.html
 */
import type { Appointment, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { checkMove, slotStatusFor } from '../scheduling/appointment-status.ts'
import { checkTimes } from '../scheduling/slot-times.ts'
import type { Context } from './context.ts'
import { defineProvider } from './provider.ts'
import { standard } from './standard.ts'

export const appointment = defineProvider('Appointment', {
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      await moveSlots(ctx, undefined, asAppointment(resource))
      return standard.create(ctx, resource)
    },
    update: async (ctx, resource, precondition) => {
      const before = await ctx.find<Appointment>('Appointment', resource.id)
      // The precondition first: a client with a stale version must learn that, not what became of its slots.
      const updated = await standard.update(ctx, resource, precondition)
      await moveSlots(ctx, before?.resource, asAppointment(resource))
      return updated
    },
    delete: async (ctx, type, id, precondition) => {
      const before = await ctx.find<Appointment>('Appointment', id)
      const deleted = await standard.delete(ctx, type, id, precondition)
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

interface Held {
  readonly ids: readonly string[]
  /** Undefined: none of the slots is held. */
  readonly as: Slot['status'] | undefined
}

async function moveSlots(ctx: Context, before: Appointment | undefined, after: Appointment | undefined): Promise<void> {
  if (before !== undefined && after !== undefined) checkMove(before.status, after.status)
  const held = heldBy(before)
  const wanted = heldBy(after)
  const keep = held.as === undefined ? [] : held.ids
  const take = wanted.as === undefined ? [] : wanted.ids
  const released = keep.filter((id) => !take.includes(id))
  for (const id of released) await release(ctx, id, before?.id)
  if (after === undefined || wanted.as === undefined) return
  const slots: Slot[] = []
  for (const [index, id] of wanted.ids.entries()) {
    slots.push(await takeSlot(ctx, id, index, wanted.as, keep.includes(id)))
  }
  checkTimes(after, slots)
}

function heldBy(appointment: Appointment | undefined): Held {
  const ids = (appointment?.slot ?? []).map(({ reference }, index) => slotId(reference, index))
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (repeated >= 0)
    throw unprocessable(`Slot/${ids[repeated]} is named twice`, { expression: `Appointment.slot[${repeated}]` })
  return { ids, as: appointment === undefined ? undefined : slotStatusFor(appointment.status) }
}

function slotId(reference: string | undefined, index: number): string {
  const id = /^Slot\/([A-Za-z0-9\-.]{1,64})$/.exec(reference ?? '')?.[1]
  if (id !== undefined) return id
  throw unprocessable(
    `Appointment.slot[${index}].reference is '${reference ?? ''}'; name a slot of this clinic as Slot/<id>`,
    { expression: `Appointment.slot[${index}].reference` },
  )
}

/** @throws FhirError 422 when there is no such slot, 409 (or 422 by the clinic's policy) when it is taken. */
async function takeSlot(ctx: Context, id: string, index: number, as: Slot['status'], isOurs: boolean): Promise<Slot> {
  const found = await ctx.find<Slot>('Slot', id)
  if (found === undefined) {
    throw unprocessable(`There is no slot ${id} to book`, {
      expression: `Appointment.slot[${index}]`,
      reason: 'slot-not-found',
    })
  }
  const slot = found.resource
  if (slot.status !== 'free' && !isOurs) await refuseTaken(ctx, slot, index)
  if (slot.status !== as) await ctx.update<Slot>({ ...slot, status: as })
  return slot
}

async function refuseTaken(ctx: Context, slot: Slot, index: number): Promise<void> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.overbooking && slot.status === 'busy') return
  throw new FhirError(policies.slotTakenStatus, {
    code: 'conflict',
    diagnostics: `Slot/${slot.id} is ${slot.status}, so it cannot be booked; choose a free one (Slot?status=free)`,
    expression: `Appointment.slot[${index}]`,
    reason: 'slot-unavailable',
  })
}

/** Frees a slot, unless it is gone, blocked meanwhile, or (overbooked) still held by another appointment. */
async function release(ctx: Context, id: string, by: string | undefined): Promise<void> {
  const found = await ctx.find<Slot>('Slot', id)
  if (found === undefined || (found.resource.status !== 'busy' && found.resource.status !== 'busy-tentative')) return
  const holders = await ctx.search<Appointment>(
    'Appointment',
    `slot=Slot/${id}&status=pending,booked,arrived,checked-in`,
  )
  if (holders.some((holder) => holder.id !== by)) return
  await ctx.update<Slot>({ ...found.resource, status: 'free' })
}
