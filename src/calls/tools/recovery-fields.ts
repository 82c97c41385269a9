/** The fields of an abandoned registration or form: read, and completed. docs/abandonment.md */
import type { Patient, QuestionnaireResponse } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, isNotGiven, type OperationAnswer, type OperationRequest } from '../../core/operation.ts'
import type { Versioned } from '../../repository/repository.ts'
import { readBack, spokenName } from '../../spoken/say.ts'
import { keptText } from '../../spoken/spoken.ts'
import {
  type ClinicLocale,
  invalidArgument,
  isFreeText,
  localeOf,
  readAll,
  readAsText,
  readStated,
} from '../../spoken/stated-values.ts'
import type { Abandonment } from '../record/abandonment.ts'
import { recordCall } from '../record/call-record.ts'
import { patientFields, REGISTRATION_FIELDS } from '../record/patient-fields.ts'
import { remember } from '../record/written-by-call.ts'
import {
  abandonmentOf,
  isItsPerson,
  OTHER_PERSON,
  openAbandonmentOf,
  requireItsPerson,
} from '../recovery/abandonment-of.ts'
import {
  fieldNamed,
  fieldsOf,
  isOfPerson,
  judgeStated,
  kindOfField,
  type StatedField,
  sayMissing,
  withField,
} from '../recovery/form-fields.ts'
import { followRegistration } from '../recovery/registration-follow-up.ts'
import { patientForWrite } from '../session/patient-of-call.ts'
import { goOnAsAnother, type Saved, type SavingInCall, saveStated } from '../session/save-stated.ts'
import { updateRegistrationField } from './registration.ts'

/** save_recovery_field: saves one more value. */
export const saveRecoveryField = defineOperation('task-save-recovery-field', async (given) => {
  const request = { ...given, input: readAll({ fieldName: readAsText, value: readAsText }, given.input) }
  const abandonment = await openAbandonmentOf(await request.access.reader(), request)
  if (abandonment.kind === 'registration') return await saveRegistrationField(request, abandonment)
  return await request.access.change((ctx) => saveFormField(ctx, request))
})

/** Saves the field like update_registration_field. */
async function saveRegistrationField(request: OperationRequest, { patient }: Abandonment): Promise<OperationAnswer> {
  const name = fieldNamed(String(request.input.fieldName), REGISTRATION_FIELDS)
  const field = REGISTRATION_FIELDS.find((one) => one === name)
  if (field === undefined) throw invalidArgument('fieldName', `it must be one of ${REGISTRATION_FIELDS.join(', ')}`)
  if (!isFreeText(field) && isNotGiven(request.input.value))
    throw invalidArgument('value', `it holds no ${spokenName(field)}`)
  const ofPatient = request.call === undefined ? { type: 'Patient', id: patient } : {}
  const saved = await updateRegistrationField.handler({
    ...request,
    ...ofPatient,
    input: { [name]: request.input.value },
  })
  const {
    registrationStatus: _status,
    invalidFields: _invalid,
    inWords: _words,
    ...answer
  } = saved as Record<string, unknown>
  return answer
}

async function saveFormField(ctx: Context, request: OperationRequest): Promise<OperationAnswer> {
  const abandonment = await openAbandonmentOf(ctx, request)
  const { call } = request
  const { known, missing: open } = await fieldsOf(ctx, abandonment)
  const fieldName = fieldNamed(String(request.input.fieldName), [...Object.keys(known), ...open])
  const locale = localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now)
  // A name or birth date tells who speaks, so it is saved for a caller whose form it is not, too.
  if (!isOfPerson(kindOfField(fieldName))) await requireItsPerson(ctx, request, abandonment)
  const field = fieldValue(fieldName, String(request.input.value), locale)
  const { kind, value } = field
  if (call !== undefined && isOfPerson(kind) && !(await isItsPerson(ctx, request, abandonment))) {
    const before = await patientForWrite(ctx, call)
    await savePerson(ctx, { call, before, stated: { [kind]: value }, region: locale.region }, saveStated)
    return NOT_ITS_PERSON
  }
  const form = await ctx.read<QuestionnaireResponse>('QuestionnaireResponse', abandonment.form ?? '')
  const next = withField(form.resource, fieldName, value)
  if (next === undefined) {
    const names = (form.resource.item ?? []).map(({ linkId }) => linkId)
    throw invalidArgument('fieldName', `the form has no such field; it has ${names.join(', ') || 'none'}`)
  }
  const isAnswered = !open.includes(fieldName)
  if (call === undefined) await ctx.update<QuestionnaireResponse>(next)
  else if (!(await saveInCall(ctx, call, { next, isAnswered, field, region: locale.region }))) return NOT_ITS_PERSON
  const { missing } = await fieldsOf(ctx, abandonment)
  const understood = kind === undefined ? {} : { [fieldName]: value }
  return {
    success: true,
    missingFields: missing,
    say: `Thank you. ${sayMissing(missing)}`,
    ...readBack(request.call, understood, kind === 'dateOfBirth' ? value : undefined),
  }
}

const NOT_ITS_PERSON = {
  success: false,
  code: 'other-person',
  error:
    'The caller is not the person who left it unfinished; what they have said is saved on a placeholder of their own',
  missingFields: [],
  say: OTHER_PERSON,
}

interface SavingOnForm {
  /** The form with the field completed. */
  readonly next: QuestionnaireResponse
  /** Whether the field had a value before. */
  readonly isAnswered: boolean
  readonly field: FieldValue
  /** Region of the clinic, for phone numbers without a country code. */
  readonly region: string | undefined
}

/**
 * @returns false if another person is speaking: the call then continues with a placeholder that has their statements
 */
async function saveInCall(
  ctx: Context,
  call: CallSession,
  { next, isAnswered, field: { kind, value }, region }: SavingOnForm,
): Promise<boolean> {
  const before = await patientForWrite(ctx, call)
  const activity = saveRecoveryField.code
  const stated = isOfPerson(kind) ? { [kind]: value } : {}
  const judged = isOfPerson(kind) ? await judgeStated(ctx, call, before, { kind, value }) : 'correction'
  if (judged === 'other-person') {
    await savePerson(ctx, { call, before, stated, region }, (ctx, saving) => goOnAsAnother(ctx, saving, false))
    return false
  }
  // The form is completed; only values written by this call are corrected.
  const onForm = isAnswered && judged === 'fits' ? [] : [await ctx.update<QuestionnaireResponse>(next)]
  const onPatient = isOfPerson(kind) ? await putOnPatient(ctx, before.resource, { kind, value, judged }) : []
  const written = [...onForm, ...onPatient]
  await remember(ctx, call, before, { written, stated })
  await recordCall(ctx, call, before, { activity, written })
  return true
}

/** Saves a statement of a caller whose form it is not. */
async function savePerson(
  ctx: Context,
  saving: SavingInCall,
  save: (ctx: Context, saving: SavingInCall) => Promise<Saved>,
): Promise<void> {
  const { call, before } = saving
  const { patient, written } = await save(ctx, saving)
  await followRegistration(ctx, { call, before, after: patient })
  await recordCall(ctx, call, patient, { activity: saveRecoveryField.code, written })
}

/** Also writes to the Patient, so that every tool can tell whose form it is. */
async function putOnPatient(
  ctx: Context,
  patient: Patient,
  { kind, value, judged }: StatedField & { readonly judged: 'correction' | 'fits' },
): Promise<readonly Versioned[]> {
  const { get, set } = patientFields[kind]
  const person = judged === 'fits' && get(patient) !== undefined ? patient : set(patient, value)
  return person === patient ? [] : [await ctx.update<Patient>(person)]
}

/** Most characters of a value stored as text. */
const MAX_VALUE = 1_000

interface FieldValue {
  /** Undefined for text. */
  readonly kind: ReturnType<typeof kindOfField>
  readonly value: string
}

/** @throws FhirError 400 for an invalid or uncertain value */
function fieldValue(fieldName: string, value: string, locale: ClinicLocale): FieldValue {
  const kind = kindOfField(fieldName)
  if (kind === undefined) return { kind, value: keptText(value, MAX_VALUE) ?? '' }
  const stated = readStated(kind, value, locale)
  if (!stated.ok) throw invalidArgument('value', stated.error)
  return { kind, value: stated.value }
}

/** get_recovery_context: the completed and the missing fields. */
export const getRecoveryContext = defineOperation('task-get-recovery-context', async (request) => {
  const ctx = await request.access.reader()
  const abandonment = await abandonmentOf(ctx, request)
  await requireItsPerson(ctx, request, abandonment)
  const { kind, stepReached } = abandonment
  const { known, missing } = await fieldsOf(ctx, abandonment)
  return {
    success: true,
    kind,
    stepReached,
    // In FHIR, one parameter with two parts for each value.
    knownFields: request.call === undefined ? Object.entries(known).map(named) : known,
    missingFields: missing,
    say: `You had begun a ${kind} with us and did not finish it. ${sayMissing(missing)}`,
  }
})

const named = ([name, value]: [string, string | boolean]) => ({ name, value: String(value) })
