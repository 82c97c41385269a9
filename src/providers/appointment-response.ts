/**
 * AppointmentResponse: the reply of a participant, applied to the appointment in the same change.
 * https://hl7.org/fhir/R4/appointmentresponse.html
 */
import type { Appointment, AppointmentResponse } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { defineProvider, standard } from '../core/provider.ts'
import { localReference } from '../fhir/reference.ts'
import { participantsAfter } from '../scheduling/participants.ts'

export const appointmentResponse = defineProvider('AppointmentResponse', {
  documentation:
    'A reply sets the status of its participant (by actor, else by participantType) in the Appointment that it refers to.',
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      await tellAppointment(ctx, resource as AppointmentResponse)
      return standard.create(ctx, resource)
    },
    update: async (ctx, resource) => {
      const before = await ctx.find<AppointmentResponse>('AppointmentResponse', resource.id)
      const reply = resource as AppointmentResponse
      if (before === undefined || saysAnother(before.resource, reply)) await tellAppointment(ctx, reply)
      return standard.update(ctx, resource)
    },
  },
})

/** Whether the reply itself changes: correcting a comment must not repeat a reply that later ones may have replaced. */
const saysAnother = (before: AppointmentResponse, after: AppointmentResponse): boolean =>
  before.participantStatus !== after.participantStatus ||
  before.appointment.reference !== after.appointment.reference ||
  before.actor?.reference !== after.actor?.reference

/**
 * Applies the reply to its appointment, if that is stored here. @throws FhirError 422; and the errors of writing the
 * appointment
 */
async function tellAppointment(ctx: Context, reply: AppointmentResponse): Promise<void> {
  const { type, id } = localReference(reply.appointment.reference ?? '', ctx.baseUrl) ?? {}
  if (type !== 'Appointment' || id === undefined) return
  const found = await ctx.find<Appointment>('Appointment', id)
  if (found === undefined) return
  const participant = participantsAfter(found.resource, reply, ctx.baseUrl)
  if (participant !== found.resource.participant) await ctx.update<Appointment>({ ...found.resource, participant })
}
