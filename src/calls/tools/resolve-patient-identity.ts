/**
 * resolve_patient_identity (spec 2.3, 3, 4.1 rule 3): does the caller match an existing patient by name or phone?
 * Outcome and candidates go to staff; the result neither names nor counts patients, nothing is merged, and the call
 * keeps its patient. statedDateOfBirth is accepted and ignored (spec 9).
 */
import type { TaskInput } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { recordCall } from '../record/call-record.ts'
import { attached, attachedText, createStaffTask } from '../record/staff-task.ts'
import { type CallerMatch, matchCaller, type StatedIdentity } from '../session/match-caller.ts'
import { patientOfRequest } from '../session/patient-of-request.ts'
import { type ClinicLocale, invalidArgument, localeOf, optionalText, readStated } from '../spoken/stated-values.ts'

export const resolvePatientIdentity = defineOperation('patient-resolve-patient-identity', (request) =>
  request.access.change(async (ctx) => {
    const stated = readIdentity(request.input, localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
    const match = await matchCaller(ctx, stated)
    // Staff who call the operation over FHIR get the answer; only what a call found out is left for them.
    if (request.call !== undefined) {
      const patient = await patientOfRequest(ctx, request)
      const task = await createStaffTask(ctx, request.call, patient, {
        code: 'identity-outcome',
        priority: 'routine',
        description: DESCRIPTIONS[match.grade],
        input: outcome(stated, match),
      })
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

/** Characters. */
const MAX_NAME_LENGTH = 200

/** @throws FhirError 400 when neither name nor phone was stated, or one of them cannot be read */
function readIdentity(input: OperationInput, locale: ClinicLocale): StatedIdentity {
  const { statedName, statedPhone } = input
  if (statedName === undefined && statedPhone === undefined) {
    throw badRequest('At least one of statedName and statedPhone is required', {
      expression: 'statedName',
      reason: 'missing-argument',
    })
  }
  const name = optionalText('statedName', statedName, MAX_NAME_LENGTH)
  return { ...(name === undefined ? {} : { name }), ...readPhone(statedPhone, locale) }
}

function readPhone(value: unknown, locale: ClinicLocale): Pick<StatedIdentity, 'phone' | 'region'> {
  if (value === undefined) return {}
  const phone = readStated('phone', value, locale)
  if (!phone.ok) throw invalidArgument('statedPhone', phone.error)
  return { phone: phone.value, ...(locale.region === undefined ? {} : { region: locale.region }) }
}

const DESCRIPTIONS: Readonly<Record<CallerMatch['grade'], string>> = {
  probable: 'The caller matches one existing patient by name and phone. Please confirm.',
  possible: 'The caller may be an existing patient. Please compare with the candidates.',
  'certainly-not': 'The caller matches no existing patient.',
}

/** More would not help staff to compare. */
const MAX_CANDIDATES = 20

/** For staff only: candidates are other people. */
const outcome = (stated: StatedIdentity, { candidates, grade, matchedBy }: CallerMatch): readonly TaskInput[] => [
  ...attached('patient-type', { valueCode: candidates.length > 0 ? 'EXISTING' : 'NEW' }),
  ...attached('match-grade', { valueCode: grade }),
  ...matchedBy.flatMap((clue) => attached('matched-by', { valueCode: clue })),
  ...attachedText('stated-name', stated.name),
  ...attachedText('stated-phone', stated.phone),
  ...candidates
    .slice(0, MAX_CANDIDATES)
    .flatMap((id) => attached('candidate', { valueReference: { reference: `Patient/${id}` } })),
]
