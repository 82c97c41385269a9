/**
 * Completed fields of an abandoned form: on the Patient for a registration, else in a QuestionnaireResponse with one
 * item per field.
 */
import type { Patient, QuestionnaireResponse, QuestionnaireResponseItem } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { listed } from '../../spoken/say.ts'
import type { Abandonment } from '../record/abandonment.ts'
import { patientFields } from '../record/patient-fields.ts'
import { missingFields, REGISTRATION_FIELDS } from '../record/registration.ts'

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
  const names = missing.slice(0, MOST).map(spoken)
  return `I still need your ${listed(missing.length > MOST ? [...names, 'a few more things'] : names)}.`
}

/** Reads `preferredLocation` and `preferred_location` as words. */
const spoken = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_.]+/g, ' ')
    .toLowerCase()
