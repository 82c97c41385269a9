/** The patient that a tool works on: the one in the path, else the call's own (spec 4.1 rule 9). */
import type { Patient } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { StatedPerson } from '../record/stated-person.ts'
import { patientForWrite } from './patient-of-call.ts'

type WithPatient = Pick<OperationRequest, 'id' | 'call'>

const noPatient = (): FhirError =>
  badRequest('The operation needs a patient: call it on one, as POST /Patient/{id}/$…, or from a live call')

/** For handlers with side effects before their change. @throws FhirError 400 if the request has no patient */
export function requirePatient({ id, call }: WithPatient): void {
  if (id === undefined && call === undefined) throw noPatient()
}

/**
 * @param stated the caller's statements about themselves in this request
 * @throws FhirError 400 if the request has no patient, 404 or 410 if the one in the path does not exist or is deleted
 */
export async function patientOfRequest(
  ctx: Context,
  { id, call }: WithPatient,
  stated: StatedPerson = {},
): Promise<Versioned<Patient>> {
  if (id !== undefined) return await ctx.read<Patient>('Patient', id)
  if (call !== undefined) return await patientForWrite(ctx, call, stated)
  throw noPatient()
}
