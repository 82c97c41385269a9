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
  const { success, missingFields, code, error, say } = saved as Record<string, unknown>
  return { success, missingFields, code, ...(error === undefined ? {} : { error }), say }
}

async function saveFormField(ctx: Context, request: OperationRequest): Promise<OperationAnswer> {
  const abandonment = await openAbandonmentOf(ctx, request)
  const fieldName = String(request.input.fieldName)
  const form = await ctx.read<QuestionnaireResponse>('QuestionnaireResponse', abandonment.form ?? '')
  const locale = localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now)
  const next = withField(form.resource, fieldName, normalValue(fieldName, String(request.input.value), locale))
  if (next === undefined) {
    const names = (form.resource.item ?? []).map(({ linkId }) => linkId)
    throw invalidArgument('fieldName', `the form has no such field; it has ${names.join(', ') || 'none'}`)
  }
  const saved = await ctx.update<QuestionnaireResponse>(next)
  const patient = await ctx.read<Patient>('Patient', abandonment.patient)
  await recordCall(ctx, request.call, patient, { activity: saveRecoveryField.code, written: [saved] })
  const { missing } = await fieldsOf(ctx, abandonment)
  return { success: true, missingFields: missing, say: `Thank you. ${sayMissing(missing)}` }
}

/** Characters of a value that is kept as it was said. */
const MAX_VALUE = 1_000

/** Fields that are named as elsewhere are read as elsewhere; any other is kept as text. */
const KINDS: Readonly<Record<string, 'email' | 'phone' | 'dateOfBirth' | 'firstName' | 'lastName'>> = {
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

function normalValue(fieldName: string, value: string, locale: ClinicLocale): string {
  const kind = KINDS[fieldName.toLowerCase().replace(/[-_.]/g, '')]
  if (kind === undefined) return keptText(value, MAX_VALUE) ?? ''
  const stated = readStated(kind, value, locale)
  if (!stated.ok) throw invalidArgument('value', stated.error)
  return stated.value
}
