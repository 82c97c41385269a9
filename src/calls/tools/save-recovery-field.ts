/** save_recovery_field: one more value of what was left unfinished. docs/abandonment.md */
import type { Patient, QuestionnaireResponse } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationAnswer, type OperationRequest } from '../../core/operation.ts'
import type { Abandonment } from '../record/abandonment.ts'
import { recordCall } from '../record/call-record.ts'
import { REGISTRATION_FIELDS } from '../record/registration.ts'
import { openAbandonmentOf } from '../recovery/abandonment-of.ts'
import { fieldsOf, withField } from '../recovery/form-fields.ts'
import { sayMissing } from '../recovery/say-missing.ts'
import { keptText } from '../spoken/kept-text.ts'
import { readBack } from '../spoken/read-back.ts'
import { readAll } from '../spoken/stated-arguments.ts'
import { type ClinicLocale, invalidArgument, localeOf, readAsText, readStated } from '../spoken/stated-values.ts'
import { updateRegistrationField } from './update-registration-field.ts'

export const saveRecoveryField = defineOperation('task-save-recovery-field', async (given) => {
  const request = { ...given, input: readAll({ fieldName: readAsText, value: readAsText }, given.input) }
  const abandonment = await openAbandonmentOf(request.access.reader(), request)
  if (abandonment.kind === 'registration') return await saveRegistrationField(request, abandonment)
  return await request.access.change((ctx) => saveFormField(ctx, request))
})

/** As update_registration_field saves it. */
async function saveRegistrationField(request: OperationRequest, { patient }: Abandonment): Promise<OperationAnswer> {
  const name = String(request.input.fieldName)
  if (!REGISTRATION_FIELDS.some((field) => field === name))
    throw invalidArgument('fieldName', `it must be one of ${REGISTRATION_FIELDS.join(', ')}`)
  const ofPatient = request.call === undefined ? { type: 'Patient', id: patient } : {}
  const saved = await updateRegistrationField.handler({
    ...request,
    ...ofPatient,
    input: { [name]: request.input.value },
  })
  const { success, missingFields, code, error, say, values } = saved as Record<string, unknown>
  return {
    success,
    missingFields,
    code,
    ...(error === undefined ? {} : { error }),
    say,
    ...(values === undefined ? {} : { values }),
  }
}

async function saveFormField(ctx: Context, request: OperationRequest): Promise<OperationAnswer> {
  const abandonment = await openAbandonmentOf(ctx, request)
  const fieldName = String(request.input.fieldName)
  const form = await ctx.read<QuestionnaireResponse>('QuestionnaireResponse', abandonment.form ?? '')
  const locale = localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now)
  const { kind, value } = fieldValue(fieldName, String(request.input.value), locale)
  const next = withField(form.resource, fieldName, value)
  if (next === undefined) {
    const names = (form.resource.item ?? []).map(({ linkId }) => linkId)
    throw invalidArgument('fieldName', `the form has no such field; it has ${names.join(', ') || 'none'}`)
  }
  const saved = await ctx.update<QuestionnaireResponse>(next)
  const patient = await ctx.read<Patient>('Patient', abandonment.patient)
  await recordCall(ctx, request.call, patient, { activity: saveRecoveryField.code, written: [saved] })
  const { missing } = await fieldsOf(ctx, abandonment)
  const understood = kind === undefined ? {} : { [fieldName]: value }
  return {
    success: true,
    missingFields: missing,
    say: `Thank you. ${sayMissing(missing)}`,
    ...readBack(request.call, understood, kind === 'dateOfBirth' ? value : undefined),
  }
}

/** Characters of a value that is kept as it was said. */
const MAX_VALUE = 1_000

/** Fields that are named as elsewhere are read as elsewhere; any other is kept as text. */
type Kind = 'email' | 'phone' | 'dateOfBirth' | 'firstName' | 'lastName'
const KINDS: Readonly<Record<string, Kind>> = {
  email: 'email',
  emailaddress: 'email',
  phone: 'phone',
  phonenumber: 'phone',
  mobile: 'phone',
  dateofbirth: 'dateOfBirth',
  birthdate: 'dateOfBirth',
  dob: 'dateOfBirth',
  firstname: 'firstName',
  givenname: 'firstName',
  lastname: 'lastName',
  familyname: 'lastName',
  surname: 'lastName',
}

interface FieldValue {
  /** Undefined for text as it was said. */
  readonly kind: Kind | undefined
  readonly value: string
}

/** @throws FhirError 400 for a value that is bad, or not certain */
function fieldValue(fieldName: string, value: string, locale: ClinicLocale): FieldValue {
  const kind = KINDS[fieldName.toLowerCase().replace(/[-_.]/g, '')]
  if (kind === undefined) return { kind, value: keptText(value, MAX_VALUE) ?? '' }
  const stated = readStated(kind, value, locale)
  if (!stated.ok) throw invalidArgument('value', stated.error)
  return { kind, value: stated.value }
}
