/** update_registration_field (spec 2.3, 3, 4.1 rule 4): saves the fields supplied and says what is still missing. */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationOutput, type OperationRequest } from '../../core/operation.ts'
import type { Versioned } from '../../repository/repository.ts'
import { recordCall } from '../record/call-record.ts'
import { writeCommunicationConsent } from '../record/communication-consent.ts'
import { patientFields } from '../record/patient-fields.ts'
import {
  activateWhenComplete,
  missingFields,
  REGISTRATION_FIELDS,
  type RegistrationField,
} from '../record/registration.ts'
import { followRegistration } from '../recovery/registration-follow-up.ts'
import { patientOfRequest } from '../session/patient-of-request.ts'
import { listed, spokenName } from '../spoken/say.ts'
import { type ClinicLocale, localeOf, readStated, statedBoolean } from '../spoken/stated-values.ts'

interface InvalidField {
  readonly field: RegistrationField
  readonly error: string
}

type ParsedField = { readonly set: (patient: Patient) => Patient } | { readonly invalid: InvalidField }

export const updateRegistrationField = defineOperation('patient-update-registration-field', (request) =>
  request.access.change(async (ctx) => {
    const before = await patientOfRequest(ctx, request)
    const locale = localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now)
    const fields = REGISTRATION_FIELDS.filter((field) => request.input[field] !== undefined).map((field) =>
      readField(field, request.input[field], locale),
    )
    const patient = await save(ctx, request, before, fields)
    const invalid = fields.flatMap((field) => ('invalid' in field ? field.invalid : []))
    return resultOf(missingFields(patient), invalid)
  }),
)

function readField(field: RegistrationField, value: unknown, locale: ClinicLocale): ParsedField {
  if (field === 'commsConsent') {
    const stated = statedBoolean(value)
    if (!stated.ok) return { invalid: { field, error: stated.error } }
    return { set: (patient) => patientFields.commsConsent.set(patient, stated.value) }
  }
  const stated = readStated(field, value, locale)
  if (!stated.ok) return { invalid: { field, error: stated.error } }
  return { set: (patient) => patientFields[field].set(patient, stated.value) }
}

/** Saves the valid values in one version of the Patient; a consent as Consent, too. */
async function save(
  ctx: Context,
  { input, call }: OperationRequest,
  before: Versioned<Patient>,
  fields: readonly ParsedField[],
): Promise<Patient> {
  const stated = fields.reduce((patient, field) => ('set' in field ? field.set(patient) : patient), before.resource)
  const next = activateWhenComplete(stated)
  const saved = next === before.resource ? before : await ctx.update<Patient>(next)
  await followRegistration(ctx, before.resource, saved)
  const { commsConsent } = input
  const consent =
    typeof commsConsent === 'boolean' ? await writeCommunicationConsent(ctx, before.id, commsConsent) : undefined
  await recordCall(ctx, call, saved, {
    activity: updateRegistrationField.code,
    written: [...(saved === before ? [] : [saved]), ...(consent === undefined ? [] : [consent])],
  })
  return saved.resource
}

function resultOf(missing: readonly RegistrationField[], invalid: readonly InvalidField[]): OperationOutput {
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
