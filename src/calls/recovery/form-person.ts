/** The person whom a form is about: by its fields that are named as those of a person, and by its Patient. */
import type { Patient, QuestionnaireResponse } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { patientFields } from '../record/patient-fields.ts'
import { contradicts, type StatedPerson } from '../record/stated-person.ts'
import { writtenByCall } from '../record/written-by-call.ts'
import { type ClinicLocale, readStated } from '../spoken/stated-values.ts'

/** Fields that are named as elsewhere are read as elsewhere. */
type FieldKind = 'email' | 'phone' | PersonKind
type PersonKind = 'dateOfBirth' | 'firstName' | 'lastName'

const KINDS: Readonly<Record<string, FieldKind>> = {
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

/** Undefined for a field that is kept as text. */
export const kindOfField = (fieldName: string): FieldKind | undefined =>
  KINDS[fieldName.toLowerCase().replace(/[-_.]/g, '')]

export const isOfPerson = (kind: FieldKind | undefined): kind is PersonKind =>
  kind === 'dateOfBirth' || kind === 'firstName' || kind === 'lastName'

interface StatedField {
  readonly kind: PersonKind
  /** In normal form. */
  readonly value: string
}

/**
 * What becomes of a name or a birth date that the caller states: it is put on the form where that has none, or where this call
 * has put it there; it stays as it is where the caller may be that person; or another person has answered.
 */
export async function judgeStated(
  ctx: Context,
  call: CallSession,
  { form, patient, locale }: { form: QuestionnaireResponse; patient: Versioned<Patient>; locale: ClinicLocale },
  { kind, value }: StatedField,
): Promise<'put' | 'keep' | 'other-person'> {
  const stated: StatedPerson = { [kind]: value }
  const isOwn = (await writtenByCall(ctx, call, patient))?.stated[kind] !== undefined
  const onForm = personOn(form, locale)
  if (contradicts(onForm, stated, isOwn ? 'made' : 'none') || contradicts(patient.resource, stated))
    return 'other-person'
  return isOwn || patientFields[kind].get(onForm) === undefined ? 'put' : 'keep'
}

const personOn = ({ item = [] }: QuestionnaireResponse, locale: ClinicLocale): Patient =>
  item.reduce<Patient>(
    (person, { linkId, answer }) => {
      const kind = kindOfField(linkId)
      const text = answer?.[0]?.valueString
      if (!isOfPerson(kind) || text === undefined) return person
      const read = readStated(kind, text, locale)
      return read.ok ? patientFields[kind].set(person, read.value) : person
    },
    { resourceType: 'Patient' },
  )
