/** The operations of Appointment that write: $book, $hold, $confirm, $reschedule and $cancel, and their parameters. */
import type { Appointment, CodeableConcept, Patient } from 'fhir/r4'
import { type BookedAppointment, book, cancel, confirm, type NewTime, reschedule } from '../booking/book.ts'
import { hold } from '../booking/holds.ts'
import { defineOperation, type OperationInput, type OperationRequest, Searchset } from '../core/operation.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { type LocalReference, localReference } from '../fhir/reference.ts'
import { isObject } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'

/** IHE ITI-117: https://profiles.ihe.net/ITI/Scheduling/ITI-117.html, with the parameters of Argonaut. */
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

/** IHE ITI-116: https://profiles.ihe.net/ITI/Scheduling/ITI-116.html */
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

/** docs/operations/appointment-confirm.md */
export const appointmentConfirm = defineOperation('appointment-confirm', async (request) => {
  const { access, input, id = '' } = request
  const patient = input.patient === undefined ? undefined : `Patient/${referredId(request, 'patient', 'Patient')}`
  return (await access.change((ctx) => confirm(ctx, id, patient))).resource
})

/** docs/operations/appointment-reschedule.md */
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

/** docs/operations/appointment-cancel.md */
export const appointmentCancel = defineOperation('appointment-cancel', async ({ access, input, id = '' }) => {
  const reason = input.reason as CodeableConcept | undefined
  const comment = input.comment as string | undefined
  return (await access.change((ctx) => cancel(ctx, id, { reason, comment }))).resource
})

export type Request = Pick<OperationRequest, 'access' | 'input' | 'base'>

/**
 * The name of the only one of these parameters that is given.
 * @throws FhirError 400 naming all of them, unless exactly one is given
 */
function oneOf(input: OperationInput, names: readonly string[]): string {
  const given = names.filter((name) => input[name] !== undefined)
  const [name] = given
  if (name !== undefined && given.length === 1) return name
  const what = given.length === 0 ? 'None' : 'More than one'
  throw badRequest(`${what} of ${names.join(', ')} is given; give exactly one of them`, {
    expression: names,
    reason: given.length === 0 ? 'missing-parameter' : 'invalid-parameter',
  })
}

/** The id of the resource that a parameter refers to. @throws FhirError 400 */
function referredId(request: Request, name: string, type: string): string {
  return idIn(request, request.input[name], name, type)
}

/** The references of a repeatable parameter, as `Type/id`. @throws FhirError 400 */
function referredAddresses(request: Request, name: string, type: string): readonly string[] {
  const values = (request.input[name] ?? []) as readonly unknown[]
  return values.map((value) => `${type}/${idIn(request, value, name, type)}`)
}

/** @param value a Reference, or its text, as in Argonaut's parameters of type uri */
function idIn(request: Request, value: unknown, name: string, type: string): string {
  const text = isObject(value) ? value.reference : value
  const found = typeof text === 'string' ? localIn(request, text) : undefined
  if (found !== undefined && found.type === type && found.version === undefined) return found.id
  const given = typeof text === 'string' ? ` is '${text}', and` : ''
  throw badRequest(
    `${name}${given} must refer to ${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type} of this server: ${type}/<id>`,
    {
      expression: name,
      reason: 'invalid-parameter',
    },
  )
}

/** Compares with the configured base URL and with that seen by the client. */
function localIn({ access, base }: Request, text: string): LocalReference | undefined {
  return localReference(text, access.baseUrl) ?? (base === undefined ? undefined : localReference(text, base))
}

/** A Bundle with one Appointment: IHE's ihe-sched-avail-bundle. */
const onlyAppointment = (appointment: Versioned<Appointment>): Searchset =>
  new Searchset({ matches: [appointment], included: [], total: 1, used: [], warnings: [] })
