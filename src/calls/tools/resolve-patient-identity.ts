/**
 * resolve_patient_identity (spec 2.3, 3, 4.1 rule 3): does the caller match an existing patient by name or phone?
 * Outcome and candidates go to staff, on the matched patient's record if there is only one. The result neither names
 * nor counts patients, nothing is merged, and the call keeps its patient. statedDateOfBirth is accepted and ignored
 * (spec 9): its definition says so, and it is not passed on.
 */
import type { TaskInput } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import { defineOperation, isNotGiven, type OperationInput } from '../../core/operation.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import type { ParsedValue } from '../../spoken/spoken.ts'
import { type ClinicLocale, localeOf, readStated, readWholeName, unreadableText } from '../../spoken/stated-values.ts'
import { recordCall } from '../record/call-record.ts'
import { attached, attachedReference, attachedText, createStaffTask } from '../record/staff-task.ts'
import { remember } from '../record/written-by-call.ts'
import { type CallerMatch, matchCaller, type StatedIdentity } from '../session/match-caller.ts'
import { patientOfRequest } from '../session/patient-of-call.ts'

export const resolvePatientIdentity = defineOperation('patient-resolve-patient-identity', (request) =>
  request.access.change(async (ctx) => {
    const statement = readIdentity(request.input, localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
    const match = await matchCaller(ctx, statement.stated)
    // Staff who invoke the operation over FHIR get the result directly; only the outcome of a call is left for them.
    if (request.call !== undefined) {
      const patient = await patientOfRequest(ctx, request)
      const task = await createStaffTask(ctx, request.call, patient, {
        code: 'identity-outcome',
        priority: 'routine',
        description: describe(match, statement),
        ...onlyOne(match),
        input: outcome(statement, match),
      })
      await remember(ctx, request.call, patient, { written: [task] })
      await recordCall(ctx, request.call, patient, { activity: resolvePatientIdentity.code, written: [task] })
    }
    return match.candidates.length > 0
      ? {
          success: true,
          patientType: 'EXISTING',
          code: 'existing-patient',
          say: 'Thank you, I have found your details.',
        }
      : {
          success: true,
          patientType: 'NEW',
          code: 'new-patient',
          say: 'Thank you. I will set up a new record for you.',
        }
  }),
)

/** The stated values, and those of them that could not be read, for staff. */
interface Statement {
  readonly stated: StatedIdentity
  readonly unreadable: { readonly name?: string; readonly phone?: string }
}

/**
 * Omits the name or the phone number if it cannot be read and the other can.
 * @throws FhirError 400 if neither was stated, or none can be read
 */
function readIdentity({ statedName, statedPhone }: OperationInput, locale: ClinicLocale): Statement {
  const name = isGiven(statedName) ? readWholeName(statedName) : undefined
  const phone = isGiven(statedPhone) ? readStated('phone', statedPhone, locale) : undefined
  if (!name?.ok && !phone?.ok) throw nothingStated({ statedName: name, statedPhone: phone })
  const { region } = locale
  return {
    stated: {
      ...(name?.ok ? { name: name.value } : {}),
      ...(phone?.ok ? { phone: phone.value, ...(region === undefined ? {} : { region }) } : {}),
    },
    unreadable: {
      ...(name?.ok === false ? { name: unreadableText(statedName) } : {}),
      ...(phone?.ok === false ? { phone: unreadableText(statedPhone) } : {}),
    },
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && !isNotGiven(value)

/** @param stated values by argument; undefined if absent */
function nothingStated(stated: Readonly<Record<string, ParsedValue | undefined>>): FhirError {
  const problems = Object.entries(stated).flatMap(([name, value]) =>
    value === undefined || value.ok ? [] : [{ name, error: value.error }],
  )
  if (problems.length === 0) {
    return badRequest(ONE_IS_REQUIRED, { expression: 'statedName', reason: 'missing-argument' })
  }
  const reasons = problems.map(({ name, error }) => `${name}: ${error}`)
  return new FhirError(400, {
    code: 'value',
    reason: 'invalid-argument',
    diagnostics: `${ONE_IS_REQUIRED}, in a form that can be read; ${reasons.join('; ')}`,
    expression: problems.map(({ name }) => name),
  })
}

const ONE_IS_REQUIRED = 'At least one of statedName and statedPhone is required'

const describe = (match: CallerMatch, { unreadable }: Statement): string => {
  const more = moreThanAttached(match)
  return [
    DESCRIPTIONS[match.grade],
    ...(more > 0 ? [`There ${more === 1 ? 'is 1 more candidate' : `are ${more} more candidates`}.`] : []),
    ...(match.narrowed ? [NARROWED] : []),
    ...Object.keys(unreadable).map((what) => `The stated ${what} could not be read.`),
  ].join(' ')
}

const NARROWED = 'What was stated is too common in the clinic to compare everybody who has it.'

/** The only candidate, whatever the grade: even a match by name or phone alone is worth comparing. */
const onlyOne = ({ candidates }: CallerMatch): { readonly beneficiary?: string } => {
  const [beneficiary, ...others] = candidates
  return beneficiary !== undefined && others.length === 0 ? { beneficiary } : {}
}

const DESCRIPTIONS: Readonly<Record<CallerMatch['grade'], string>> = {
  probable: 'The caller matches one existing patient by name and phone. Please confirm.',
  possible: 'The caller may be an existing patient. Please compare with the candidates.',
  'certainly-not': 'The caller matches no existing patient.',
}

/** More would not help staff to compare. */
const MAX_CANDIDATES = 20

const moreThanAttached = ({ candidates }: CallerMatch): number => Math.max(0, candidates.length - MAX_CANDIDATES)

/** For staff only, as candidates are other people. */
const outcome = ({ stated, unreadable }: Statement, match: CallerMatch): readonly TaskInput[] => {
  const { candidates, grade, matchedBy, narrowed } = match
  const more = moreThanAttached(match)
  return [
    ...attached('patient-type', { valueCode: candidates.length > 0 ? 'EXISTING' : 'NEW' }),
    ...attached('match-grade', { valueCode: grade }),
    ...matchedBy.flatMap((clue) => attached('matched-by', { valueCode: clue })),
    ...attachedText('stated-name', stated.name),
    ...attachedText('stated-phone', stated.phone),
    ...attachedText('unreadable-name', unreadable.name),
    ...attachedText('unreadable-phone', unreadable.phone),
    ...candidates.slice(0, MAX_CANDIDATES).flatMap((id) => attachedReference('candidate', `Patient/${id}`)),
    ...attached('more-candidates', more > 0 ? { valueInteger: more } : undefined),
    ...attached('search-narrowed', narrowed ? { valueBoolean: true } : undefined),
  ]
}
