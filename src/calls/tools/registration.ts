/**
 * The tools for a patient's own details: the fields of a registration, the format of one value, and an intake as a whole.
 */
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import {
  defineOperation,
  type IgnoredArgument,
  isNotGiven,
  type OperationInput,
  type OperationOutput,
  type OperationRequest,
} from '../../core/operation.ts'
import type { CrmContact } from '../../core/ports.ts'
import { isNumber } from '../../fhir/json.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { deliverStaged } from '../../integrations/outbox/delivery.ts'
import { newMessageId, stageContact } from '../../integrations/outbox/rows.ts'
import { listed, readBack, sayDate, spokenName } from '../../spoken/say.ts'
import { spokenConsent } from '../../spoken/spoken-consent.ts'
import {
  argumentIssue,
  type ClinicLocale,
  isFreeText,
  localeOf,
  readAll,
  readStated,
  withNormalForm,
} from '../../spoken/stated-values.ts'
import { recordCall } from '../record/call-record.ts'
import { deliveryTasks } from '../record/delivery-tasks.ts'
import { missingFields, REGISTRATION_FIELDS, type RegistrationField } from '../record/patient-fields.ts'
import type { Stated } from '../record/written-by-call.ts'
import { followRegistration } from '../recovery/registration-follow-up.ts'
import { patientOfRequest } from '../session/patient-of-call.ts'
import { provisional } from '../session/replay.ts'
import { saveStated } from '../session/save-stated.ts'

interface InvalidField {
  readonly field: RegistrationField
  readonly error: string
}

type ParsedField = { readonly stated: Stated } | { readonly invalid: InvalidField }

/**
 * update_registration_field (spec 2.3, 3, 4.1 rule 4): saves the given fields and returns the missing ones. Valid values are
 * saved even if others are invalid.
 */
export const updateRegistrationField = defineOperation('patient-update-registration-field', async (request) => {
  const { access, input, call, ignored = [] } = request
  const given = REGISTRATION_FIELDS.filter((field) => isGiven(field, input[field]))
  if (given.length === 0 && ignored.length > 0) throw noneKnown(ignored)
  return await access.change(async (ctx) => {
    const locale = localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now)
    const fields = given.map((field) => readField(field, input[field], locale))
    const stated: Stated = Object.assign({}, ...fields.map((field) => ('stated' in field ? field.stated : {})))
    const before = await patientOfRequest(ctx, request, stated)
    const { patient, written } = await saveStated(ctx, { call, before, stated, region: locale.region })
    await followRegistration(ctx, { call, before, after: patient })
    await recordCall(ctx, call, patient, { activity: updateRegistrationField.code, written })
    const invalid = fields.flatMap((field) => ('invalid' in field ? field.invalid : []))
    const isSaved = Object.keys(stated).length > 0
    return { ...resultOf(missingFields(patient.resource), invalid, isSaved), ...readBack(call, withNormalForm(stated)) }
  })
})

/** FhirError 400 for a call that would save nothing, as it has other arguments alone. */
function noneKnown(ignored: readonly IgnoredArgument[]): FhirError {
  const names = ignored.map(({ name, nearest }) => (nearest === undefined ? name : `${name} (nearest: ${nearest})`))
  return new FhirError(400, {
    code: 'not-supported',
    reason: 'unknown-arguments',
    diagnostics: `No argument is a field of the registration: ${names.join(', ')}; the fields are ${REGISTRATION_FIELDS.join(', ')}`,
    text: 'Sorry, I could not take that down. Could you tell me again?',
  })
}

const isGiven = (field: RegistrationField, value: unknown): boolean =>
  value !== undefined && (isFreeText(field) || !isNotGiven(value))

function readField(field: RegistrationField, value: unknown, locale: ClinicLocale): ParsedField {
  const stated = field === 'commsConsent' ? spokenConsent(value) : readStated(field, value, locale)
  return stated.ok ? { stated: { [field]: stated.value } } : { invalid: { field, error: stated.error } }
}

/** @param isSaved a result without a saved value does not thank for one */
function resultOf(
  missing: readonly RegistrationField[],
  invalid: readonly InvalidField[],
  isSaved: boolean,
): OperationOutput {
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
        say: `${isSaved ? 'Thank you. ' : ''}I still need your ${listed(missing.map(spokenName))}.`,
      }
}

export const INTAKE_FIELDS = [
  'firstName',
  'lastName',
  'dateOfBirth',
  'phone',
  'email',
  'address',
  'reasonForVisit',
] as const
type Intake = Readonly<Record<(typeof INTAKE_FIELDS)[number], string>>

const SUBMITTED = {
  success: true,
  code: 'intake-submitted',
  say: 'Thank you, I have everything I need for your visit.',
}

const NOT_SYNCED = {
  success: false,
  code: 'crm-sync-failed',
  error: 'crm sync failed',
  say: 'Thank you, I have your details. Our staff will finish the rest.',
}

/**
 * submit_intake (spec 2.3, 4.1 rule 8, 7): writes the intake to the Patient, and syncs it to the clinic's CRM if one is
 * enabled. All missing or invalid values are reported together, and nothing is then written. The CRM gets the intake
 * once the Patient is saved.
 */
export const submitIntake = defineOperation('patient-submit-intake', async (request) => {
  const { access, integrations } = request
  const messageId = newMessageId((await access.reader()).now)
  const saved = await access.change((ctx) => write(ctx, request, messageId))
  if (!('provisional' in saved)) return saved
  const delivery = await deliverStaged(access, { ...integrations, tasks: deliveryTasks }, messageId)
  const { submitted, provisional: notSynced } = saved
  return delivery.delivered ? submitted : notSynced
})

/**
 * The result. With a CRM it is provisional until the CRM has responded, and final if the process ends before.
 * @throws FhirError 400 for missing or invalid arguments, or if the request has no patient
 */
async function write(ctx: Context, request: OperationRequest, messageId: string) {
  const settings = await readSettings(ctx.unit, ctx.clinic)
  const { call } = request
  const locale = localeOf(settings, ctx.now)
  const intake = readIntake(request.input, locale)
  const before = await patientOfRequest(ctx, request, intake)
  // An intake with the last missing field also completes the registration (spec 2.4).
  const { patient, written } = await saveStated(ctx, { call, before, stated: intake, region: locale.region })
  await followRegistration(ctx, { call, before, after: patient })
  const { reasonForVisit } = intake
  await recordCall(ctx, call, patient, { activity: submitIntake.code, written, reasonForVisit })
  const understood = readBack(call, withNormalForm(intake), intake.dateOfBirth)
  const submitted = { ...SUBMITTED, ...understood }
  if (!settings.crm?.enabled) return submitted
  await stageContact(ctx, contactOf(ctx.clinic, patient.id, messageId, intake), call)
  return { submitted, ...provisional({ ...NOT_SYNCED, ...understood }) }
}

const contactOf = (clinic: string, patient: string, messageId: string, intake: Intake): CrmContact => ({
  clinic,
  patient,
  event: 'intake.submitted',
  messageId,
  fields: intake,
})

/** @throws FhirError 400 with one issue for each missing or invalid value, the missing ones first */
function readIntake(input: OperationInput, locale: ClinicLocale): Intake {
  const readers = INTAKE_FIELDS.map((field) => [field, (value: unknown) => readStated(field, value, locale)] as const)
  return readAll(Object.fromEntries(readers), input) as Intake
}

const CHECKED = ['email', 'phone', 'dateOfBirth'] as const

/** Adds the date in words, as only these reveal in which order day and month were read. */
const confirmation = (field: (typeof CHECKED)[number], value: string) =>
  field === 'dateOfBirth'
    ? { inWords: sayDate(value), say: `Thank you, that is ${sayDate(value)}.` }
    : { say: 'Thank you.' }

/** validate_intake_field (spec 4.1 rule 7, 8): checks the format of one value; no patient is read or written. */
export const validateIntakeField = defineOperation('patient-validate-intake-field', async ({ access, input }) => {
  const { fieldName, value } = input
  if (typeof fieldName !== 'string') {
    throw new FhirError(400, argumentIssue('fieldName', fieldName, 'The value must be the name of a field'))
  }
  const field = CHECKED.find((name) => name === fieldName)
  // Any other field is valid, with any value or none.
  if (field === undefined) return { valid: true, code: 'not-checked', say: 'Thank you.' }
  const ctx = await access.reader()
  const stated = readStated(field, value, localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
  if (stated.ok) return { valid: true, code: 'valid', value: stated.value, ...confirmation(field, stated.value) }
  if (typeof value !== 'string' && !isNumber(value))
    throw new FhirError(400, argumentIssue('value', value, stated.error))
  return {
    valid: false,
    code: 'invalid',
    error: stated.error,
    say: `Sorry, I did not get your ${spokenName(field)}. Could you say it again?`,
  }
})
