/**
 * Slows down callers who guess at patients. Failed verifications are counted by the caller's number, by the guessed
 * patient and by clinic, in addition to those of the call (verification.ts). A caller's response depends only on number
 * and clinic: an attempt that comes too early for a patient fails like any other, as a distinct refusal would reveal
 * that the patient exists. A success resets nothing, since a patient may guess at others; failures fade with time.
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
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { isReal } from '../record/registration.ts'
import type { ReachedLimit } from '../record/verification-outcome.ts'
import { patientOfCall } from './patient-of-call.ts'

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
