/** Appointment/$hold, IHE ITI-116: https://profiles.ihe.net/ITI/Scheduling/ITI-116.html. */
import { hold } from '../booking/hold.ts'
import { defineOperation } from '../core/operation.ts'
import { FhirError } from '../fhir/outcome.ts'
import { oneOf, onlyAppointment, referredId } from './appointment-input.ts'

export const appointmentHold = defineOperation('appointment-hold', async (request) => {
  const name = oneOf(request.input, ['appointment-reference', 'appt-id'])
  const id = referredId(request, name, 'Appointment')
  try {
    return onlyAppointment(await request.access.change((ctx) => hold(ctx, id, name)))
  } catch (error) {
    throw error instanceof FhirError && UNAVAILABLE.has(error.code) ? asUnavailable(error) : error
  }
})

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'slot-unavailable',
  'slot-not-found',
  'appointment-not-found',
  'hold-expired',
])

/**
 * IHE requires "at least one issue with severity of fatal and code of not-found"; the status is chosen by this server.
 */
const asUnavailable = ({ status, issues, headers }: FhirError): FhirError =>
  new FhirError(
    status,
    issues.map((issue) => ({ ...issue, severity: 'fatal', code: 'not-found' })),
    headers,
  )
