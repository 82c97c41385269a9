/**
 * The caller's verified identity, for the tools of /emr-scheduling. The patient of the call stays the same for all
 * other tools (patient-of-call.ts).
 */
import type { Patient } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { putOfCall, readOfCall } from '../record/call-records.ts'
import { isReal } from '../record/registration.ts'
import { currentRecord, isOwnPlaceholder, patientForWrite, patientOfCall } from './patient-of-call.ts'

export interface Verification {
  /** Number of failed attempts. */
  readonly failures: number
  /** Patient.id of the person verified last. */
  readonly patient?: string
}

export const VERIFICATION = recordKind<Verification>('call-verification')

/** Failed attempts after which no further verification is possible in the call. */
export const MAX_FAILURES = 3

export const readVerification = async (ctx: Context, call: CallSession): Promise<Verification> =>
  (await readOfCall(ctx, VERIFICATION, call)) ?? { failures: 0 }

export const putVerification = (ctx: Context, call: CallSession, verification: Verification): Promise<void> =>
  putOfCall(ctx, VERIFICATION, call, verification)

/** Patient.id; undefined if the caller is not verified, or the record is no longer a patient of the clinic. */
export const verifiedPatientOf = async (ctx: Context, call: CallSession): Promise<string | undefined> =>
  (await verifiedRecordOf(ctx, call))?.id

async function verifiedRecordOf(ctx: Context, call: CallSession): Promise<Versioned<Patient> | undefined> {
  const { patient } = await readVerification(ctx, call)
  const record = patient === undefined ? undefined : await currentRecord(ctx, patient)
  return record !== undefined && isReal(record.resource) ? record : undefined
}

/** The caller of a tool: a live call, or staff who invoke the operation on a Patient. */
type WithCaller = Pick<OperationRequest, 'id' | 'type' | 'call'>

/**
 * The patient whose appointments are listed, moved or cancelled.
 * @throws FhirError 403 `not-verified`, with a sentence to speak; 400, 404 or 410 for staff who name no patient or an
 * unknown one
 */
export async function verifiedCallerFor(ctx: Context, request: WithCaller): Promise<Versioned<Patient>> {
  if (request.call === undefined) return await patientNamedByStaff(ctx, request)
  const verified = await verifiedRecordOf(ctx, request.call)
  if (verified === undefined) throw notVerified()
  return verified
}

/**
 * The patient to book for: the verified one, else the call's own placeholder, even if this call has completed its
 * registration. It is created if the call has no patient yet.
 * @throws FhirError as `verifiedCallerFor`
 */
export async function callerFor(ctx: Context, request: WithCaller): Promise<Versioned<Patient>> {
  const { call } = request
  if (call === undefined) return await patientNamedByStaff(ctx, request)
  const verified = await verifiedRecordOf(ctx, call)
  if (verified !== undefined) return verified
  const own = await patientOfCall(ctx, call)
  if (own !== undefined && !(await isOwnPlaceholder(ctx, call, own))) throw notVerified()
  return await patientForWrite(ctx, call)
}

async function patientNamedByStaff(ctx: Context, { id, type }: WithCaller): Promise<Versioned<Patient>> {
  if (id !== undefined && type === 'Patient') return await ctx.read<Patient>('Patient', id)
  throw badRequest('The operation needs a patient: call it on one, as POST /Patient/{id}/$…, or from a live call')
}

/** The error for callers who must first verify who they are. */
const notVerified = (): FhirError =>
  new FhirError(403, {
    code: 'forbidden',
    reason: 'not-verified',
    diagnostics: 'The caller is not verified: call verify_patient with the name and the date of birth first',
    text: 'Before I can do that, could you please tell me your full name and your date of birth?',
  })
