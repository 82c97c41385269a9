/** reschedule_appointment: moves an appointment of the verified patient to a time offered by find_available_slots. */
import { reschedule } from '../../booking/reschedule.ts'
import { defineOperation } from '../../core/operation.ts'
import { recordCall } from '../record/call-record.ts'
import { verifiedCallerFor } from '../session/verification.ts'
import { checkSameType, readTime, timeOfKey } from '../visits/offered-time.ts'
import { ownAppointment, requireCall } from '../visits/own-appointment.ts'
import { spokenRefusals } from '../visits/refusals.ts'
import { spokenVisit } from '../visits/visit-label.ts'

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
