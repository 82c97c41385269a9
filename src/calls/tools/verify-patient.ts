/**
 * verify_patient: the caller states full name and date of birth. The verified patient is bound to the call for the
 * tools of this family. Before that, no caller receives anything about a patient, so all failures have the same
 * wording.
 */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, isNotGiven, type OperationInput, type OperationRequest } from '../../core/operation.ts'
import type { Versioned } from '../../repository/repository.ts'
import { listed } from '../../spoken/say.ts'
import { type ParsedValue, unclear } from '../../spoken/spoken.ts'
import {
  type ClinicLocale,
  localeOf,
  readAll,
  readStated,
  readWholeName,
  unreadableText,
} from '../../spoken/stated-values.ts'
import { recordCall } from '../record/call-record.ts'
import {
  type ReachedLimit,
  recordGuessing,
  recordNotVerified,
  recordVerified,
  type StatedForStaff,
} from '../record/identity-tasks.ts'
import { isReal } from '../record/patient-fields.ts'
import { remember } from '../record/written-by-call.ts'
import { fullNames, matchStatedPerson, type PersonMatch, type StatedPerson } from '../session/match-caller.ts'
import { patientForWrite } from '../session/patient-of-call.ts'
import {
  beginAttempt,
  countGuess,
  keepCounts,
  MAX_FAILURES,
  mayBeVerified,
  putVerification,
  readVerification,
  takeBackAttempt,
  type Verification,
  waitOf,
  waitOfNumber,
} from '../session/verification.ts'

export const verifyPatient = defineOperation('patient-verify-patient', async ({ access, input, call, tellPatient }) => {
  const read = async (ctx: Context) => readPerson(input, localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
  if (call === undefined)
    return await access.change(async (ctx) => await answerToStaff(ctx, await read(ctx), tellPatient))
  const begun = await access.change(async (ctx) => {
    const stated = await read(ctx)
    return (await refusal(ctx, call, waitOf)) ?? { stated, reached: await beginAttempt(ctx, call) }
  })
  if ('success' in begun) return begun
  // An attempt whose outcome is an error was not looked at, and may be made again.
  let isFailure = false
  try {
    const result = await access.change((ctx) => verify(ctx, call, begun))
    isFailure = !result.success && result.code !== 'too-many-attempts'
    return result
  } finally {
    if (!isFailure) await access.change((ctx) => takeBackAttempt(ctx, call))
  }
})

type Stated = StatedPerson & StatedForStaff

/** An attempt that has been counted for the clinic. */
interface Attempt {
  readonly stated: Stated
  /** The clinic's limit, if this attempt reached it. */
  readonly reached: readonly ReachedLimit[]
}

/** The result of an attempt that is refused without a search; undefined if it may proceed. */
async function refusal(ctx: Context, call: CallSession, waitOf: (ctx: Context, call: CallSession) => Promise<number>) {
  const { failures } = await readVerification(ctx, call)
  if (failures >= MAX_FAILURES) return failed(failures)
  const wait = await waitOf(ctx, call)
  return wait > 0 ? tooEarly(failures, wait) : undefined
}

/**
 * Verifies the caller, or counts the failure. Concurrent attempts of a call conflict on its record, so each is counted.
 */
async function verify(ctx: Context, call: CallSession, { stated, reached }: Attempt): Promise<Result> {
  const refused = await refusal(ctx, call, waitOfNumber)
  if (refused !== undefined) return refused
  const before = await readVerification(ctx, call)
  const own = await patientForWrite(ctx, call)
  const { patient, candidates } = await matchStatedPerson(ctx, own, stated)
  if (patient !== undefined && (await mayBeVerified(ctx, call, patient)))
    return await succeed(ctx, call, { before, own, patient, stated })
  const failures = before.failures + 1
  await putVerification(ctx, call, { ...before, failures })
  await recordFailure(ctx, call, own, { failures, stated, candidates, reached })
  return failed(failures)
}

interface Failure extends Attempt {
  /** Number of failures in the call. */
  readonly failures: number
  readonly candidates: PersonMatch['candidates']
}

async function recordFailure(
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  { failures, stated, candidates, reached }: Failure,
): Promise<void> {
  const task = await recordNotVerified(ctx, call, own, {
    attempts: failures,
    isLast: failures >= MAX_FAILURES,
    stated,
    candidates: candidates.map(({ id }) => id),
  })
  await remember(ctx, call, own, { written: [task] })
  // If the call's patient is a real one, only they can be verified.
  const guessed = isReal(own.resource) ? [own] : candidates
  const all = [...reached, ...(await countGuess(ctx, call, guessed, stated.name))]
  const reports = await recordGuessing(ctx, call, own, all)
  await recordCall(ctx, call, own, { activity: verifyPatient.code, written: [task, ...reports] })
}

/** The result of the tool. */
interface Result {
  readonly [name: string]: unknown
  readonly success: boolean
  readonly verified: boolean
  readonly attemptsLeft: number
  readonly code?: string
  readonly say: string
}

interface Success {
  readonly before: Verification
  readonly own: Versioned<Patient>
  readonly patient: Versioned<Patient>
  readonly stated: Stated
}

async function succeed(ctx: Context, call: CallSession, { before, own, patient: found, stated }: Success) {
  const patient = found.id
  await keepCounts(ctx, call, found)
  // Repeating a successful verification changes nothing.
  if (before.patient !== patient) {
    await putVerification(ctx, call, { ...before, patient })
    const tasks = await recordVerified(ctx, call, own, { patient, stated })
    await recordCall(ctx, call, own, { activity: verifyPatient.code, written: tasks })
  }
  return { success: true, verified: true, attemptsLeft: MAX_FAILURES - before.failures, say: VERIFIED }
}

const VERIFIED = 'Thank you, I have confirmed your details.'

/** The same result whether nobody, several or someone else was found. */
const failed = (failures: number) => ({
  success: false,
  verified: false,
  attemptsLeft: MAX_FAILURES - failures,
  ...(failures < MAX_FAILURES
    ? {
        code: 'not-verified',
        say: 'Sorry, I could not confirm that. Could you please tell me your full name and your date of birth again?',
      }
    : {
        code: 'verification-ended',
        say: 'I am sorry, I could not confirm your details. Would you like to speak with a person at the clinic?',
      }),
})

/**
 * The refusal before any search; it uses up no attempt of the call.
 * @param wait milliseconds
 */
const tooEarly = (failures: number, wait: number) => ({
  success: false,
  verified: false,
  attemptsLeft: MAX_FAILURES - failures,
  code: 'too-many-attempts',
  retryAfter: Math.ceil(wait / 1_000),
  say: 'I am sorry, I cannot check your details at the moment. Please try again later, or would you like to speak with a person at the clinic?',
})

/** Staff may see every patient, so their attempts are neither counted nor recorded. */
async function answerToStaff(ctx: Context, stated: Stated, tellPatient: OperationRequest['tellPatient']) {
  const { patient } = await matchStatedPerson(ctx, undefined, stated)
  if (patient !== undefined) {
    tellPatient?.(patient.id)
    return { success: true, verified: true, say: VERIFIED }
  }
  const { attemptsLeft: _, ...answer } = failed(0)
  return answer
}

/** @throws FhirError 400 with an issue for each missing or unreadable value; no attempt is used up */
function readPerson(input: OperationInput, locale: ClinicLocale): Stated {
  const readBirthDate = (value: unknown) => readStated('dateOfBirth', value, locale)
  const read = readAll({ statedName: readFullName, statedDateOfBirth: readBirthDate }, input, {
    say: (names) => `Sorry, could you please tell me your ${listed(names.map((name) => SPOKEN[name]))} once more?`,
  })
  const { statedPhone } = input
  const isAbsent = statedPhone === undefined || isNotGiven(statedPhone)
  const phone = isAbsent ? undefined : readStated('phone', statedPhone, locale)
  return {
    name: read.statedName,
    birthDate: read.statedDateOfBirth,
    ...(phone?.ok ? { phone: phone.value } : {}),
    ...(phone?.ok === false ? { unreadablePhone: unreadableText(statedPhone) } : {}),
    ...(locale.region === undefined ? {} : { region: locale.region }),
  }
}

const SPOKEN = { statedName: 'full name', statedDateOfBirth: 'date of birth' } as const

/** A single word is only a family name, or shared by many people. */
function readFullName(value: unknown): ParsedValue {
  if (value === undefined) return unclear('The value is missing')
  const name = readWholeName(value)
  if (!name.ok || fullNames(name.value).length > 0) return name
  return unclear('The value must hold a given name and a family name')
}
