/** What is compared of a Patient, ready to be compared with many others. */
import type { Patient } from 'fhir/r4'
import { addressesOf, type ComparedAddress } from './compare-addresses.ts'
import { compared, MAX_CONTACTS } from './limits.ts'
import { type NameForms, nameFormsOf } from './name-forms.ts'
import { comparablePhone, samePhone } from './phones.ts'

export interface Demographics {
  readonly names: readonly NameForms[]
  /** YYYY, YYYY-MM or YYYY-MM-DD. */
  readonly birthDate: string | undefined
  readonly gender: 'male' | 'female' | undefined
  /** In the form of comparablePhone. */
  readonly phones: readonly string[]
  /** In lower case. */
  readonly emails: readonly string[]
  readonly addresses: readonly ComparedAddress[]
  readonly identifiers: readonly ComparedIdentifier[]
}

export interface ComparedIdentifier {
  /** '' where there is none. */
  readonly system: string
  /** Letters and digits in upper case. */
  readonly value: string
}

/** @param region ISO 3166 code of the clinic's country, for phone numbers without a country code */
export const demographicsOf = (patient: Patient, region?: string): Demographics => ({
  names: nameFormsOf(patient),
  birthDate: patient.birthDate,
  gender: patient.gender === 'male' || patient.gender === 'female' ? patient.gender : undefined,
  phones: comparablePhones(telecom(patient, 'phone'), region),
  emails: [...new Set(telecom(patient, 'email').map(emailOf))].filter((email) => email.includes('@')),
  addresses: addressesOf(patient),
  identifiers: identifiersOf(patient),
})

const comparablePhones = (numbers: readonly string[], region: string | undefined): readonly string[] =>
  [...new Set(numbers.map((number) => comparablePhone(number, region)))].filter((number) => number !== '')

/** One of the numbers is one of the others. @param region see demographicsOf */
export const sharesPhone = (mine: readonly string[], theirs: readonly string[], region?: string): boolean => {
  const others = comparablePhones(theirs, region)
  return comparablePhones(mine, region).some((number) => others.some((other) => samePhone(number, other)))
}

/** Without old ones, which may belong to another person by now; at most `MAX_CONTACTS`. */
export const telecom = ({ telecom = [] }: Patient, system: 'phone' | 'email'): readonly string[] =>
  telecom
    .filter((contact) => contact.use !== 'old')
    .filter((contact) => contact.system === system || (contact.system === 'sms' && system === 'phone'))
    .flatMap(({ value }) => value ?? [])
    .slice(0, MAX_CONTACTS)
    .map(compared)

const emailOf = (value: string): string => value.trim().toLowerCase()

const identifiersOf = ({ identifier = [] }: Patient): readonly ComparedIdentifier[] =>
  identifier
    .slice(0, MAX_CONTACTS)
    .map(({ system = '', value = '' }) => ({ system, value: identifierValue(value) }))
    .filter(({ value }) => value !== '')

/** Separators and case are written one way or another. */
const identifierValue = (value: string): string =>
  compared(value)
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
