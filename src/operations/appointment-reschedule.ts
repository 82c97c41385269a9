/** Appointment/[id]/$reschedule: docs/operations/appointment-reschedule.md. */
import { type NewTime, reschedule } from '../booking/reschedule.ts'
import { defineOperation } from '../core/operation.ts'
import { oneOf, type Request, referredAddresses, referredId } from './appointment-input.ts'

export const appointmentReschedule = defineOperation('appointment-reschedule', async (request) => {
  const { access, input, id = '' } = request
  const to = newTimeIn(request)
  return (await access.change((ctx) => reschedule(ctx, id, to, input.comment as string | undefined))).resource
})

/** @throws FhirError 400 */
function newTimeIn(request: Request): NewTime {
  return oneOf(request.input, ['slot', 'appointment-reference']) === 'slot'
    ? { slots: referredAddresses(request, 'slot', 'Slot').map((reference) => ({ reference })) }
    : { proposal: referredId(request, 'appointment-reference', 'Appointment') }
}
