/** Appointment/$book, IHE ITI-117: https://profiles.ihe.net/ITI/Scheduling/ITI-117.html, with the parameters of Argonaut. */
import type { Appointment, Patient } from 'fhir/r4'
import { type BookedAppointment, book } from '../booking/book.ts'
import { defineOperation } from '../core/operation.ts'
import { oneOf, onlyAppointment, type Request, referredId } from './appointment-input.ts'

export const appointmentBook = defineOperation('appointment-book', async (request) => {
  const { access, input } = request
  const what = appointmentIn(request)
  const patients = [
    ...(input['patient-id'] === undefined ? [] : [`Patient/${referredId(request, 'patient-id', 'Patient')}`]),
    ...((input['patient-resource'] ?? []) as readonly Patient[]),
  ]
  const cancels =
    input['cancelled-appt-id'] === undefined ? undefined : referredId(request, 'cancelled-appt-id', 'Appointment')
  const comment = input.comment as string | undefined
  return onlyAppointment(await access.change((ctx) => book(ctx, { what, patients, comment, cancels })))
})

/** @throws FhirError 400 */
function appointmentIn(request: Request): BookedAppointment {
  const name = oneOf(request.input, ['appointment-reference', 'appointment-resource', 'appt-id', 'appt-resource'])
  if (name.endsWith('-resource')) return { resource: request.input[name] as Appointment }
  return { id: referredId(request, name, 'Appointment') }
}
