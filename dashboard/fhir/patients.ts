/** The marks that this server's live calls leave on a Patient (docs/live-calls.md). */
import type { Patient } from 'fhir/r4'
import { addressText, nameOf, referenceParts, telecomOf } from './names.ts'
import { ageAt, dateText } from './time.ts'

export const PLACEHOLDER = 'https://sandbox-emr.example/fhir/CodeSystem/record-status|placeholder'
const EXTENSIONS = 'https://sandbox-emr.example/fhir/StructureDefinition/'

/** A record that stands for a caller until the registration is complete. */
export const isPlaceholder = ({ meta }: Pick<Patient, 'meta'>): boolean =>
  meta?.tag?.some(({ system, code }) => `${system}|${code}` === PLACEHOLDER) ?? false

/** The id of the record that has taken its place. */
export const replacedBy = ({ link = [] }: Pick<Patient, 'link'>): string | undefined =>
  referenceParts(link.find(({ type }) => type === 'replaced-by')?.other.reference)?.id

/** The ids of the records whose place it has taken. */
export const replacedIds = ({ link = [] }: Pick<Patient, 'link'>): readonly string[] =>
  link.flatMap(({ type, other }) => (type === 'replaces' ? (referenceParts(other.reference)?.id ?? []) : []))

/** `Feb 17, 1941 (85)`, with the age at an instant; empty where it is not known. */
export function bornText(birthDate: string | undefined, at: number, zone: string): string {
  const age = ageAt(birthDate, at, zone)
  return `${dateText(birthDate)}${age === undefined ? '' : ` (${age})`}`
}

export interface RegistrationField {
  readonly label: string
  /** Empty: not given yet. */
  readonly value: string
  readonly isRequired: boolean
}

/** The fields that a registration by phone asks for, with the values given so far. */
export function registrationOf(patient: Patient): readonly RegistrationField[] {
  const { name, birthDate, telecom, address } = patient
  const field = (label: string, value: string, isRequired = false): RegistrationField => ({ label, value, isRequired })
  return [
    field('Name', nameOf(name), true),
    field('Date of birth', dateText(birthDate), true),
    field('Phone', telecomOf(telecom, 'phone'), true),
    field('E-mail', telecomOf(telecom, 'email')),
    field('Address', addressText(address?.[0])),
    field('Preferred location', extensionText(patient, 'preferred-location')),
    field('Reason for the visit', extensionText(patient, 'reason-for-visit')),
    field('Health plan', extensionText(patient, 'health-plan-name')),
    field('Insurance', extensionText(patient, 'insurance-status')),
    field('Medicare', extensionText(patient, 'medicare-status')),
    field('Referred by', extensionText(patient, 'referral-source')),
    field('May be contacted', extensionText(patient, 'communication-consent')),
  ]
}

function extensionText({ extension = [] }: Pick<Patient, 'extension'>, name: string): string {
  const found = extension.find(({ url }) => url === EXTENSIONS + name)
  if (found === undefined) return ''
  const { valueBoolean, valueString, valueCode, valueReference, valueCodeableConcept } = found
  if (valueBoolean !== undefined) return valueBoolean ? 'yes' : 'no'
  return valueString ?? valueCode ?? valueReference?.display ?? valueCodeableConcept?.text ?? ''
}
