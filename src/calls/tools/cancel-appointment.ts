/** cancel_appointment: cancels an appointment of the verified patient; its time is free in the same change. */
import type { CodeableConcept } from 'fhir/r4'
import { cancel } from '../../booking/book.ts'
import { defineOperation } from '../../core/operation.ts'
import { recordCall } from '../record/call-record.ts'
import { verifiedCallerFor } from '../session/verification.ts'
import { keptReason, ownAppointment, requireCall } from '../visits/own-appointment.ts'
import { spokenRefusals } from '../visits/refusals.ts'
import { spokenVisit } from '../visits/visit-label.ts'

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
