/** Which patient an operation of a live call is about: the one in the path, else the call's own (spec 4.1 rule 9). */
import type { Patient } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import { patientForWrite } from './patient-of-call.ts'

type Addressed = Pick<OperationRequest, 'id' | 'call'>

const noPatient = (): FhirError =>
  badRequest('The operation needs a patient: call it on one, as POST /Patient/{id}/$…, or from a live call')

/** @throws FhirError 400 when the request has no patient; to be asked before anything is done */
export function requirePatient({ id, call }: Addressed): void {
  if (id === undefined && call === undefined) throw noPatient()
}

/** @throws FhirError 400 when the request has no patient, 404 or 410 when the path names one that is not there */
export async function patientOfRequest(ctx: Context, { id, call }: Addressed): Promise<Versioned<Patient>> {
  if (id !== undefined) return await ctx.read<Patient>('Patient', id)
  if (call !== undefined) return await patientForWrite(ctx, call)
  throw noPatient()
}
