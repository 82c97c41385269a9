/** The person of a form: fields with the names of personal data are also written to its Patient. */
import type { Patient } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { type ClinicLocale, readStated } from '../../spoken/stated-values.ts'
import { patientFields } from '../record/patient-fields.ts'
import { contradicts } from '../record/stated-person.ts'
import { writtenByCall } from '../record/written-by-call.ts'

/** Fields with known names are parsed like the corresponding tool arguments. */
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

/** Returns undefined for a field stored as text. */
export const kindOfField = (fieldName: string): FieldKind | undefined =>
  KINDS[fieldName.toLowerCase().replace(/[-_.]/g, '')]

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
