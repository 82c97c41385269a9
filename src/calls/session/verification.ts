/**
 * The caller's verified identity, for the tools of /emr-scheduling; the patient of the call stays the same for all other
 * tools (patient-of-call.ts). And the limits that slow down callers who guess at patients: failed verifications are counted
 * by the caller's number, by the guessed patient and by clinic, in addition to those of the call. A caller's response depends
 * only on number and clinic: an attempt that comes too early for a patient fails like any other, as a distinct refusal would
 * reveal that the patient exists. A success resets nothing, since a patient may guess at others; failures fade with time.
 */
import { hash } from 'node:crypto'
import type { Patient } from 'fhir/r4'
import {
  addFailures,
  type Counter,
  clearExpired,
  keepFailures,
  type Limit,
  type Patience,
  waitFor,
} from '../../clinics/failed-attempts.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { putOfCall, readOfCall } from '../record/call-record.ts'
import type { ReachedLimit } from '../record/identity-tasks.ts'
import { isReal } from '../record/patient-fields.ts'
import { currentRecord, isOwnPlaceholder, noPatient, patientForWrite, patientOfCall } from './patient-of-call.ts'

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
  throw noPatient()
}

/** The error for callers who must first verify who they are. */
const notVerified = (): FhirError =>
  new FhirError(403, {
    code: 'forbidden',
    reason: 'not-verified',
    diagnostics: 'The caller is not verified: call verify_patient with the name and the date of birth first',
    text: 'Before I can do that, could you please tell me your full name and your date of birth?',
  })

const ATTEMPTS = recordKind<Counter>('verification-attempts')

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** For one number: the failures of two calls are free, then 96 a day. */
const NUMBER: Patience = { free: 6, longest: 15 * MINUTE, fades: true }
/** For one patient, from all numbers not on their record. */
const PATIENT: Patience = { free: 10, longest: 15 * MINUTE, fades: true }
/** For a clinic: ten a minute, more than a busy one has for long. */
const CLINIC: Patience = { free: 100, longest: 6 * SECOND, fades: true }

/** A limit, and the property shared by its failures. */
type GuessLimit = Limit & Omit<ReachedLimit, 'failures'>

/** Milliseconds until an attempt is permitted for any patient; 0: now. */
export async function waitOf(ctx: Context, call: CallSession): Promise<number> {
  return await waitFor(ctx.unit, [...numberLimits(call), ...(await clinicLimits(ctx, call))])
}

/**
 * The wait by number only, once the attempt is counted for the clinic: others may have come from the number meanwhile.
 */
export const waitOfNumber = (ctx: Context, call: CallSession): Promise<number> => waitFor(ctx.unit, numberLimits(call))

/**
 * Counts an attempt for the clinic as failed, until it succeeds. Must be a small change of its own: all callers of the
 * clinic conflict on this record, and would otherwise repeat the search for their patients.
 */
export async function beginAttempt(ctx: Context, call: CallSession): Promise<readonly ReachedLimit[]> {
  await clearExpired(ctx.unit, ATTEMPTS)
  return await count(ctx, await clinicLimits(ctx, call))
}

/** Reverses the count of `beginAttempt`. */
export async function takeBackAttempt(ctx: Context, call: CallSession): Promise<void> {
  for (const limit of await clinicLimits(ctx, call)) await addFailures(ctx.unit, limit, -1)
}

/** Whether the caller may be verified as the patient now: not before the wait of the patient's limit is over. */
export async function mayBeVerified(ctx: Context, call: CallSession, patient: Versioned<Patient>): Promise<boolean> {
  if (await isOnFile(ctx, call, patient)) return true
  return (await waitFor(ctx.unit, [limitOfPatient(patient)])) === 0
}

/** Writes the counters on which a success depends, so that it takes all earlier failures into account. */
export async function keepCounts(ctx: Context, call: CallSession, patient: Versioned<Patient>): Promise<void> {
  for (const limit of numberLimits(call)) await keepFailures(ctx.unit, limit)
  if (!(await isOnFile(ctx, call, patient))) await keepFailures(ctx.unit, limitOfPatient(patient))
}

/**
 * Counts a failed attempt for the caller's number and for the patient or name meant, whether or not that patient
 * exists.
 * @param guessed the patients who may have been meant
 */
export async function countGuess(
  ctx: Context,
  call: CallSession,
  guessed: readonly Versioned<Patient>[],
  statedName: string,
): Promise<readonly ReachedLimit[]> {
  return await count(ctx, [...numberLimits(call), ...(await limitsOfGuess(ctx, call, guessed, statedName))])
}

async function count(ctx: Context, limits: readonly GuessLimit[]): Promise<readonly ReachedLimit[]> {
  const reached: ReachedLimit[] = []
  for (const limit of limits) {
    // During the wait nobody can be verified as that patient, so the attempt is no guess and does not extend the wait.
    if (limit.patience === PATIENT && (await waitFor(ctx.unit, [limit])) > 0) continue
    const failures = await addFailures(ctx.unit, limit, 1)
    if (failures >= limit.patience.free) reached.push({ ...limit, failures: Math.floor(failures) })
  }
  return reached
}

/**
 * The clinic's limit, except for a caller whose number is on the record of the call's patient, who should not have to
 * wait because of others.
 */
async function clinicLimits(ctx: Context, call: CallSession): Promise<readonly GuessLimit[]> {
  const own = await patientOfCall(ctx, call)
  return own !== undefined && (await isOnFile(ctx, call, own)) ? [] : [OF_CLINIC]
}

async function limitsOfGuess(
  ctx: Context,
  call: CallSession,
  guessed: readonly Versioned<Patient>[],
  statedName: string,
): Promise<readonly GuessLimit[]> {
  if (guessed.length === 0) return [limitOfName(statedName)]
  const limits: GuessLimit[] = []
  for (const patient of guessed) if (!(await isOnFile(ctx, call, patient))) limits.push(limitOfPatient(patient))
  return limits
}

/** Whether the patient is a real one, and the number of the caller is on their record. */
async function isOnFile(
  ctx: Context,
  { callerNumber }: CallSession,
  { resource }: Versioned<Patient>,
): Promise<boolean> {
  if (callerNumber === undefined || !isReal(resource)) return false
  const { defaultRegion } = await readSettings(ctx.unit, ctx.clinic)
  return sharesPhone([callerNumber], telecom(resource, 'phone'), defaultRegion)
}

const OF_CLINIC: GuessLimit = { kind: ATTEMPTS, of: 'clinic', key: 'clinic', patience: CLINIC }

const numberLimits = ({ callerNumber }: CallSession): readonly GuessLimit[] =>
  callerNumber === undefined ? [] : [{ kind: ATTEMPTS, of: 'number', key: `number:${callerNumber}`, patience: NUMBER }]

const limitOfPatient = ({ id }: Versioned<Patient>): GuessLimit => ({
  kind: ATTEMPTS,
  of: 'patient',
  key: `patient:${id}`,
  patient: id,
  patience: PATIENT,
})

const limitOfName = (name: string): GuessLimit => ({
  kind: ATTEMPTS,
  of: 'name',
  key: `name:${hash('sha256', name.toLowerCase())}`,
  patience: PATIENT,
})
