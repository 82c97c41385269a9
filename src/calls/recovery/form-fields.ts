/**
 * Completed fields of an abandoned form: on the Patient for a registration, else in a QuestionnaireResponse with one item
 * per field. Fields with the names of personal data are also written to its Patient.
 */
import type { Patient, QuestionnaireResponse, QuestionnaireResponseItem } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { listed } from '../../spoken/say.ts'
import { type ClinicLocale, readStated } from '../../spoken/stated-values.ts'
import type { Abandonment } from '../record/abandonment.ts'
import { missingFields, patientFields, REGISTRATION_FIELDS } from '../record/patient-fields.ts'
import { contradicts } from '../record/stated-person.ts'
import { writtenByCall } from '../record/written-by-call.ts'

export interface FormFields {
  readonly known: Readonly<Record<string, string | boolean>>
  readonly missing: readonly string[]
}

export async function fieldsOf(ctx: Context, { form, patient }: Abandonment): Promise<FormFields> {
  if (form === undefined) return registrationFields((await ctx.read<Patient>('Patient', patient)).resource)
  const { item = [] } = (await ctx.read<QuestionnaireResponse>('QuestionnaireResponse', form)).resource
  const known = item.flatMap(({ linkId, answer }) => {
    const value = answer?.[0]?.valueString
    return value === undefined || linkId === undefined ? [] : [[linkId, value] as const]
  })
  return {
    known: Object.fromEntries(known),
    missing: item.filter(({ answer = [] }) => answer.length === 0).flatMap(({ linkId = [] }) => linkId),
  }
}

function registrationFields(patient: Patient): FormFields {
  const known = REGISTRATION_FIELDS.flatMap((name) => {
    const value = patientFields[name].get(patient)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { known: Object.fromEntries(known), missing: missingFields(patient) }
}

/** @param fields values by name; null for a field that is still empty */
export const formOf = (
  fields: Readonly<Record<string, string | null>>,
  patient: string,
  authored: string,
): QuestionnaireResponse => ({
  resourceType: 'QuestionnaireResponse',
  status: 'in-progress',
  subject: { reference: `Patient/${patient}` },
  authored,
  ...(Object.keys(fields).length === 0 ? {} : { item: Object.entries(fields).map(formItem) }),
})

const formItem = ([linkId, value]: [string, string | null]): QuestionnaireResponseItem => ({
  linkId,
  ...(value === null ? {} : { answer: [{ valueString: value }] }),
})

/** The form with one field completed; undefined if it has no such field. */
export function withField(
  form: QuestionnaireResponse,
  fieldName: string,
  value: string,
): QuestionnaireResponse | undefined {
  const items = form.item ?? []
  const at = items.findIndex(({ linkId }) => linkId === fieldName)
  const item = items[at]
  if (item === undefined) return undefined
  return { ...form, item: items.with(at, { ...item, answer: [{ valueString: value }] }) }
}

/** Most fields named in one sentence. */
const MOST = 4

/** The sentence about missing fields. */
export function sayMissing(missing: readonly string[]): string {
  if (missing.length === 0) return 'Nothing is missing any more.'
  const names = missing.slice(0, MOST).map(fieldWords)
  return `I still need your ${listed(missing.length > MOST ? [...names, 'a few more things'] : names)}.`
}

/** Reads `preferredLocation` and `preferred_location` as words. */
export const fieldWords = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_.]+/g, ' ')
    .toLowerCase()

/** Fields with known names are parsed like the corresponding tool arguments. */
type FieldKind = 'email' | 'phone' | PersonKind
type PersonKind = 'dateOfBirth' | 'firstName' | 'lastName'

/** Names of fields by kind, in lower case and without signs. */
const NAMES: Readonly<Record<FieldKind, readonly string[]>> = {
  email: ['email', 'emailaddress'],
  phone: ['phone', 'phonenumber', 'mobile'],
  dateOfBirth: ['dateofbirth', 'birthdate', 'dob'],
  firstName: ['firstname', 'givenname'],
  lastName: ['lastname', 'familyname', 'surname'],
}

const bareName = (fieldName: string): string => fieldName.toLowerCase().replace(/[-_. ]/g, '')

/** The field that is meant, however its name is written: `first_name`, "First name"; the name itself if there is none. */
export const fieldNamed = (fieldName: string, known: readonly string[]): string =>
  known.find((name) => name === fieldName) ?? known.find((name) => bareName(name) === bareName(fieldName)) ?? fieldName

/** Returns undefined for a field stored as text. */
export function kindOfField(fieldName: string): FieldKind | undefined {
  const name = bareName(fieldName)
  return (Object.keys(NAMES) as FieldKind[]).find((kind) => NAMES[kind].includes(name))
}

export const isOfPerson = (kind: FieldKind | undefined): kind is PersonKind =>
  kind === 'dateOfBirth' || kind === 'firstName' || kind === 'lastName'

export interface StatedField {
  readonly kind: PersonKind
  /** Normalized. */
  readonly value: string
}

/**
 * Judges a stated name or birth date: it is a correction if this call wrote the previous value; otherwise it either
 * fits, or another person is speaking.
 */
export async function judgeStated(
  ctx: Context,
  call: CallSession,
  patient: Versioned<Patient>,
  { kind, value }: StatedField,
): Promise<'correction' | 'fits' | 'other-person'> {
  const isCorrection = (await writtenByCall(ctx, call, patient))?.stated[kind] !== undefined
  if (contradicts(patient.resource, { [kind]: value }, isCorrection ? 'made' : 'none')) return 'other-person'
  return isCorrection ? 'correction' : 'fits'
}

/** Changes of a Patient by readable fields with the names of personal data. */
export const personFields = (
  fields: Readonly<Record<string, string | null>>,
  locale: ClinicLocale,
): readonly ((patient: Patient) => Patient)[] =>
  Object.entries(fields).flatMap(([name, text]) => {
    const kind = kindOfField(name)
    if (!isOfPerson(kind) || text === null) return []
    const read = readStated(kind, text, locale)
    return read.ok ? [(patient: Patient) => patientFields[kind].set(patient, read.value)] : []
  })
