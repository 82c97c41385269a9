/** Reads the appointments, patients and slots in the parameters of Appointment operations. */
import type { Appointment } from 'fhir/r4'
import type { OperationInput, OperationRequest } from '../core/operation.ts'
import { Searchset } from '../core/searchset.ts'
import { badRequest } from '../fhir/outcome.ts'
import { type LocalReference, localReference } from '../fhir/reference.ts'
import { isObject } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'

export type Request = Pick<OperationRequest, 'access' | 'input' | 'base'>

/**
 * The name of the only one of these parameters that is given.
 * @throws FhirError 400 naming all of them, unless exactly one is given
 */
export function oneOf(input: OperationInput, names: readonly string[]): string {
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
export function referredId(request: Request, name: string, type: string): string {
  return idIn(request, request.input[name], name, type)
}

/** The references of a repeatable parameter, as `Type/id`. @throws FhirError 400 */
export function referredAddresses(request: Request, name: string, type: string): readonly string[] {
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
  const { baseUrl } = access.reader()
  return localReference(text, baseUrl) ?? (base === undefined ? undefined : localReference(text, base))
}

/** A Bundle with one Appointment: IHE's ihe-sched-avail-bundle. */
export const onlyAppointment = (appointment: Versioned<Appointment>): Searchset =>
  new Searchset({ matches: [appointment], included: [], total: 1, used: [], warnings: [] })
