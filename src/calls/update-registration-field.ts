/** update_registration_field (spec 2.3, 3, 4.1 rule 4): saves the fields supplied and says what is still missing. */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import {
  defineOperation,
  type OperationInput,
  type OperationOutput,
  type OperationRequest,
} from '../operations/operation.ts'
import type { Context } from '../providers/context.ts'
import { recordCall } from './call-record.ts'
import { writeCommunicationConsent } from './communication-consent.ts'
import { patientFields } from './patient-fields.ts'
import { patientOfRequest } from './patient-of-request.ts'
import { missingFields, REGISTRATION_FIELDS, type RegistrationField, settleRegistration } from './registration.ts'
import { listed, spokenName } from './say.ts'
import { notStated, type Place, placeOf, readStated, statedBoolean } from './stated-values.ts'

interface InvalidField {
  readonly field: RegistrationField
  readonly error: string
}

interface Supplied {
  /** Puts every good value on the Patient. */
  readonly apply: (patient: Patient) => Patient
  readonly commsConsent: boolean | undefined
  readonly invalid: readonly InvalidField[]
}

export const updateRegistrationField = defineOperation('patient-update-registration-field', (request) =>
  request.access.change(async (ctx) => {
    const before = await patientOfRequest(ctx, request)
    const supplied = readSupplied(request.input, placeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
    const patient = await save(ctx, request, before, supplied)
    return answer(missingFields(patient), supplied.invalid)
  }),
)

async function save(
  ctx: Context,
  request: OperationRequest,
  before: Awaited<ReturnType<typeof patientOfRequest>>,
  supplied: Supplied,
): Promise<Patient> {
  const next = settleRegistration(supplied.apply(before.resource))
  const written = next === before.resource ? [] : [await ctx.update<Patient>(next)]
  const { commsConsent } = supplied
  const consent = commsConsent === undefined ? undefined : await writeCommunicationConsent(ctx, before.id, commsConsent)
  const patient = written[0] ?? before
  await recordCall(ctx, request.call, patient, {
    activity: updateRegistrationField.code,
    written: consent === undefined ? written : [...written, consent],
  })
  return patient.resource
}

function readSupplied(input: OperationInput, place: Place): Supplied {
  const invalid: InvalidField[] = []
  const setters: ((patient: Patient) => Patient)[] = []
  let commsConsent: boolean | undefined
  for (const field of REGISTRATION_FIELDS.filter((name) => !notStated(input[name]))) {
    if (field === 'commsConsent') {
      const stated = statedBoolean(input[field])
      if (!stated.ok) invalid.push({ field, error: stated.error })
      else {
        commsConsent = stated.value
        setters.push((patient) => patientFields.commsConsent.set(patient, stated.value))
      }
    } else {
      const stated = readStated(field, input[field], place)
      if (!stated.ok) invalid.push({ field, error: stated.error })
      else setters.push((patient) => patientFields[field].set(patient, stated.value))
    }
  }
  return { apply: (patient) => setters.reduce((changed, set) => set(changed), patient), commsConsent, invalid }
}

function answer(missing: readonly RegistrationField[], invalid: readonly InvalidField[]): OperationOutput {
  const registrationStatus = missing.length === 0 ? 'COMPLETE' : 'ACTION_REQUIRED'
  const state = { registrationStatus, missingFields: missing }
  if (invalid.length > 0) {
    return {
      success: false,
      ...state,
      code: 'invalid-fields',
      error: invalid.map(({ field, error }) => `${field}: ${error}`).join('; '),
      invalidFields: invalid,
      say: `Sorry, I could not take down your ${listed(invalid.map(({ field }) => spokenName(field)))}. Could you say that again?`,
    }
  }
  return missing.length === 0
    ? { success: true, ...state, code: 'complete', say: 'Thank you, your registration is complete.' }
    : {
        success: true,
        ...state,
        code: 'action-required',
        say: `Thank you. I still need your ${listed(missing.map(spokenName))}.`,
      }
}
