/** update_registration_field (spec 2.3, 3, 4.1 rule 4): saves the given fields and returns the missing ones. */
import { readSettings } from '../../clinics/settings.ts'
import { defineOperation, type OperationOutput } from '../../core/operation.ts'
import { listed, readBack, spokenName } from '../../spoken/say.ts'
import { spokenConsent } from '../../spoken/spoken-consent.ts'
import { type ClinicLocale, localeOf, readStated, withNormalForm } from '../../spoken/stated-values.ts'
import { recordCall } from '../record/call-record.ts'
import { missingFields, REGISTRATION_FIELDS, type RegistrationField } from '../record/patient-fields.ts'
import type { Stated } from '../record/written-by-call.ts'
import { followRegistration } from '../recovery/registration-follow-up.ts'
import { patientOfRequest } from '../session/patient-of-call.ts'
import { saveStated } from '../session/save-stated.ts'

interface InvalidField {
  readonly field: RegistrationField
  readonly error: string
}

type ParsedField = { readonly stated: Stated } | { readonly invalid: InvalidField }

/** Valid values are saved even if others are invalid. */
export const updateRegistrationField = defineOperation(
  'patient-update-registration-field',
  ({ access, input, ...request }) =>
    access.change(async (ctx) => {
      const locale = localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now)
      const fields = REGISTRATION_FIELDS.filter((field) => input[field] !== undefined).map((field) =>
        readField(field, input[field], locale),
      )
      const stated: Stated = Object.assign({}, ...fields.map((field) => ('stated' in field ? field.stated : {})))
      const { call } = request
      const before = await patientOfRequest(ctx, request, stated)
      const { patient, written } = await saveStated(ctx, { call, before, stated, region: locale.region })
      await followRegistration(ctx, { call, before, after: patient })
      await recordCall(ctx, call, patient, { activity: updateRegistrationField.code, written })
      const invalid = fields.flatMap((field) => ('invalid' in field ? field.invalid : []))
      return { ...resultOf(missingFields(patient.resource), invalid), ...readBack(call, withNormalForm(stated)) }
    }),
)

function readField(field: RegistrationField, value: unknown, locale: ClinicLocale): ParsedField {
  const stated = field === 'commsConsent' ? spokenConsent(value) : readStated(field, value, locale)
  return stated.ok ? { stated: { [field]: stated.value } } : { invalid: { field, error: stated.error } }
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
