/** The person whom a form is about: fields that are named as those of a person are on its Patient, too. */
import type { Patient } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { type ClinicLocale, readStated } from '../../spoken/stated-values.ts'
import { patientFields } from '../record/patient-fields.ts'
import { contradicts } from '../record/stated-person.ts'
import { writtenByCall } from '../record/written-by-call.ts'

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

export interface StatedField {
  readonly kind: PersonKind
  /** In normal form. */
  readonly value: string
}

/**
 * A name or a birth date that the caller states is a correction where this call has put one there; else it fits, or another
 * person has answered.
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

/** Changes of a Patient by the readable fields that are named as those of a person. */
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
