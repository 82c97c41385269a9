/** The tools that move and cancel an appointment of the verified patient. */

import type { CodeableConcept } from 'fhir/r4'
import { cancel } from '../../booking/book.ts'
import { reschedule } from '../../booking/reschedule.ts'
import { defineOperation } from '../../core/operation.ts'
import { recordCall } from '../record/call-record.ts'
import { verifiedCallerFor } from '../session/verification.ts'
import { checkSameType, readTime, timeOfKey } from '../visits/offered-time.ts'
import { keptReason, ownAppointment, requireCall } from '../visits/own-appointment.ts'
import { spokenRefusals } from '../visits/refusals.ts'
import { spokenVisit } from '../visits/visit-label.ts'

/** reschedule_appointment: moves an appointment to a time offered by find_available_slots. */
export const rescheduleAppointment = defineOperation('appointment-reschedule-appointment', (request) => {
  const call = requireCall(request.call)
  const { appointmentKey, slotKey } = request.input
  return spokenRefusals(() =>
    request.access.change(async (ctx) => {
      const patient = await verifiedCallerFor(ctx, request)
      const before = await ownAppointment(ctx, call, patient.id, appointmentKey)
      const offered = await timeOfKey(ctx, call, slotKey)
      const time = await readTime(ctx, offered)
      checkSameType(before.resource, time)
      const slots = offered.slots.map((id) => ({ reference: `Slot/${id}` }))
      const moved = await reschedule(ctx, before.id, { slots })
      const written = moved.version === before.version ? [] : [moved]
      await recordCall(ctx, call, patient, { activity: rescheduleAppointment.code, written })
      const { start, label } = await spokenVisit(ctx, moved.resource.start ?? offered.start, time.schedule.actor)
      return { success: true, appointmentKey, start, label, say: `Your appointment is now on ${label}.` }
    }),
  )
})

/** cancel_appointment: the time of the appointment is free in the same change. */
export const cancelAppointment = defineOperation('appointment-cancel-appointment', (request) => {
  const call = requireCall(request.call)
  return spokenRefusals(() =>
    request.access.change(async (ctx) => {
      const patient = await verifiedCallerFor(ctx, request)
      const before = await ownAppointment(ctx, call, patient.id, request.input.appointmentKey)
      const reason = byPatient(keptReason(request.input.reason))
      const cancelled = await cancel(ctx, before.id, { reason })
      const { status, start, participant } = cancelled.resource
      const written = cancelled.version === before.version ? [] : [cancelled]
      await recordCall(ctx, call, patient, { activity: cancelAppointment.code, written })
      const actors = participant.flatMap(({ actor }) => actor ?? [])
      const what = start === undefined ? '' : ` on ${(await spokenVisit(ctx, start, actors)).label}`
      return { success: true, status, say: `Your appointment${what} is cancelled.` }
    }),
  )
})

/** https://terminology.hl7.org/CodeSystem-appointment-cancellation-reason.html */
const byPatient = (text: string | undefined): CodeableConcept => ({
  coding: [
    {
      system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
      code: 'pat',
      display: 'Patient',
    },
  ],
  ...(text === undefined ? {} : { text }),
})
