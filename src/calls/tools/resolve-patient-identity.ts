/**
 * resolve_patient_identity (spec 2.3, 3, 4.1 rule 3): does the caller match an existing patient by name or phone?
 * The outcome and the candidates go to the staff; the answer names and counts nobody, nothing is merged, and the call
 * keeps its patient. statedDateOfBirth is accepted and changes nothing (spec 9).
 */
import type { TaskInput } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { recordCall } from '../record/call-record.ts'
import { attached, attachedText, createStaffTask } from '../record/staff-task.ts'
import { type Identity, identify, type StatedIdentity } from '../session/identify.ts'
import { patientOfRequest } from '../session/patient-of-request.ts'
import { invalidArgument, optionalText, type Place, placeOf, readStated } from '../spoken/stated-values.ts'

export const resolvePatientIdentity = defineOperation('patient-resolve-patient-identity', (request) =>
  request.access.change(async (ctx) => {
    const stated = readIdentity(request.input, placeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
    const identity = await identify(ctx, stated)
    // Staff who ask over FHIR have the answer; only a call leaves it for them.
    if (request.call !== undefined) {
      const patient = await patientOfRequest(ctx, request)
      const task = await createStaffTask(ctx, request.call, patient, {
        code: 'identity-outcome',
        priority: 'routine',
        description: DESCRIPTIONS[identity.grade],
        input: outcome(stated, identity),
      })
      await recordCall(ctx, request.call, patient, { activity: resolvePatientIdentity.code, written: [task] })
    }
    return identity.candidates.length > 0
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

/** Characters at most. */
const NAME_LENGTH = 200

/** @throws FhirError 400 when neither name nor phone was stated, or one of them cannot be read */
function readIdentity(input: OperationInput, place: Place): StatedIdentity {
  const { statedName, statedPhone } = input
  if (statedName === undefined && statedPhone === undefined) {
    throw badRequest('At least one of statedName and statedPhone is required', {
      expression: 'statedName',
      reason: 'missing-argument',
    })
  }
  const name = optionalText('statedName', statedName, NAME_LENGTH)
  return { ...(name === undefined ? {} : { name }), ...readPhone(statedPhone, place) }
}

function readPhone(value: unknown, place: Place): Pick<StatedIdentity, 'phone' | 'region'> {
  if (value === undefined) return {}
  const phone = readStated('phone', value, place)
  if (!phone.ok) throw invalidArgument('statedPhone', phone.error)
  return { phone: phone.value, ...(place.region === undefined ? {} : { region: place.region }) }
}

const DESCRIPTIONS: Readonly<Record<Identity['grade'], string>> = {
  probable: 'The caller matches one existing patient by name and phone. Please confirm.',
  possible: 'The caller may be an existing patient. Please compare with the candidates.',
  'certainly-not': 'The caller matches no existing patient.',
}

/** More are no help to whoever compares. */
const MOST_CANDIDATES = 20

/** What only staff see: candidates are other people. */
const outcome = (stated: StatedIdentity, { candidates, grade, matchedBy }: Identity): readonly TaskInput[] => [
  ...attached('patient-type', { valueCode: candidates.length > 0 ? 'EXISTING' : 'NEW' }),
  ...attached('match-grade', { valueCode: grade }),
  ...matchedBy.flatMap((clue) => attached('matched-by', { valueCode: clue })),
  ...attachedText('stated-name', stated.name),
  ...attachedText('stated-phone', stated.phone),
  ...candidates
    .slice(0, MOST_CANDIDATES)
    .flatMap((id) => attached('candidate', { valueReference: { reference: `Patient/${id}` } })),
]
