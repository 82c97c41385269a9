/**
 * verify_patient: the caller states full name and date of birth. Who is verified is bound to the call for the tools of
 * this family; nobody is told anything about a patient before that, so all failures are answered in the same words.
 */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput, type OperationRequest } from '../../core/operation.ts'
import { FhirError } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import { recordCall } from '../record/call-record.ts'
import { recordNotVerified, recordVerified, type StatedForStaff } from '../record/verification-outcome.ts'
import { remember } from '../record/written-by-call.ts'
import { fullNames, matchStatedPerson, type StatedPerson } from '../session/match-stated-person.ts'
import { patientForWrite } from '../session/patient-of-call.ts'
import { MAX_FAILURES, putVerification, readVerification, type Verification } from '../session/verification.ts'
import { listed } from '../spoken/say.ts'
import { type ParsedValue, unclear } from '../spoken/spoken.ts'
import {
  argumentIssue,
  type ClinicLocale,
  localeOf,
  readStated,
  readWholeName,
  unreadableText,
} from '../spoken/stated-values.ts'

export const verifyPatient = defineOperation('patient-verify-patient', ({ access, input, call, tellPatient }) =>
  access.change(async (ctx) => {
    const stated = readPerson(input, localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
    return call === undefined ? await answerToStaff(ctx, stated, tellPatient) : await verify(ctx, call, stated)
  }),
)

type Stated = StatedPerson & StatedForStaff

/** Of two attempts at the same time one meets a conflict on the record of the verification, and is counted after the other. */
async function verify(ctx: Context, call: CallSession, stated: Stated) {
  const before = await readVerification(ctx, call)
  if (before.failures >= MAX_FAILURES) return failed(before.failures)
  const own = await patientForWrite(ctx, call)
  const { patient, candidates } = await matchStatedPerson(ctx, own, stated)
  if (patient !== undefined) return await succeed(ctx, call, { before, own, patient: patient.id, stated })
  const failures = before.failures + 1
  await putVerification(ctx, call, { ...before, failures })
  const isLast = failures >= MAX_FAILURES
  const task = await recordNotVerified(ctx, call, own, { attempts: failures, isLast, stated, candidates })
  await remember(ctx, call, own, { written: [task] })
  await recordCall(ctx, call, own, { activity: verifyPatient.code, written: [task] })
  return failed(failures)
}

interface Success {
  readonly before: Verification
  readonly own: Versioned<Patient>
  /** Patient.id. */
  readonly patient: string
  readonly stated: Stated
}

async function succeed(ctx: Context, call: CallSession, { before, own, patient, stated }: Success) {
  // Somebody who says it once more is who they were.
  if (before.patient !== patient) {
    await putVerification(ctx, call, { ...before, patient })
    const tasks = await recordVerified(ctx, call, own, { patient, stated })
    await recordCall(ctx, call, own, { activity: verifyPatient.code, written: tasks })
  }
  return { success: true, verified: true, attemptsLeft: MAX_FAILURES - before.failures, say: VERIFIED }
}

const VERIFIED = 'Thank you, I have confirmed your details.'

/** The same whether nobody, several or somebody else was found. */
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

/** @throws FhirError 400 with an issue for each value that is missing or cannot be read; no attempt is used up */
function readPerson({ statedName, statedDateOfBirth, statedPhone }: OperationInput, locale: ClinicLocale): Stated {
  const name = readFullName(statedName)
  const birthDate = readStated('dateOfBirth', statedDateOfBirth, locale)
  if (!name.ok || !birthDate.ok) {
    throw unreadable([
      { name: 'statedName', spoken: 'full name', value: statedName, read: name },
      { name: 'statedDateOfBirth', spoken: 'date of birth', value: statedDateOfBirth, read: birthDate },
    ])
  }
  const phone = statedPhone === undefined ? undefined : readStated('phone', statedPhone, locale)
  return {
    name: name.value,
    birthDate: birthDate.value,
    ...(phone?.ok ? { phone: phone.value } : {}),
    ...(phone?.ok === false ? { unreadablePhone: unreadableText(statedPhone) } : {}),
    ...(locale.region === undefined ? {} : { region: locale.region }),
  }
}

/** A single word names a family, or many people. */
function readFullName(value: unknown): ParsedValue {
  if (value === undefined) return unclear('The value is missing')
  const name = readWholeName(value)
  if (!name.ok || fullNames(name.value).length > 0) return name
  return unclear('The value must hold a given name and a family name')
}

interface Argument {
  readonly name: string
  readonly spoken: string
  readonly value: unknown
  readonly read: ParsedValue
}

function unreadable(all: readonly Argument[]): FhirError {
  const wrong = all.flatMap(({ read, ...argument }) => (read.ok ? [] : [{ ...argument, error: read.error }]))
  const text = `Sorry, could you please tell me your ${listed(wrong.map(({ spoken }) => spoken))} once more?`
  return new FhirError(
    400,
    wrong.map(({ name, value, error }) => ({ ...argumentIssue(name, value, error), text })),
  )
}
