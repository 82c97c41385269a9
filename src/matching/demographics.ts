/** The compared data of a Patient, prepared for comparison with many others. */
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../fhir/text-folding.ts'
import { compared, type NameForms, nameFormsOf } from './names.ts'
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

export interface ComparedAddress {
  /** Folded lines; in an address with only a text, that text. */
  readonly lines: readonly string[]
  /** Their words and numbers. */
  readonly words: readonly string[]
  /** '' where there is none; so is `city`. */
  readonly postalCode: string
  readonly city: string
}

/** Limits of the compared part of a Patient. Ordinary records have far less; otherwise the first values count. */
const MAX_ADDRESSES = 25
/** Lines of one address. */
const MAX_LINES = 4
/** Phone numbers, e-mail addresses and identifiers. */
const MAX_CONTACTS = 50

/** @param region ISO 3166 code of the clinic's country, for phone numbers without a country code */
export const demographicsOf = (patient: Patient, region?: string): Demographics => new DemographicsOf(patient, region)

/** Each part is prepared on first use: a search by few parts then never needs the others of any candidate. */
class DemographicsOf implements Demographics {
  readonly #patient: Patient
  readonly #region: string | undefined
  readonly birthDate: Demographics['birthDate']
  readonly gender: Demographics['gender']
  #names: Demographics['names'] | undefined
  #phones: Demographics['phones'] | undefined
  #emails: Demographics['emails'] | undefined
  #addresses: Demographics['addresses'] | undefined
  #identifiers: Demographics['identifiers'] | undefined

  constructor(patient: Patient, region: string | undefined) {
    this.#patient = patient
    this.#region = region
    this.birthDate = patient.birthDate
    this.gender = patient.gender === 'male' || patient.gender === 'female' ? patient.gender : undefined
  }

  get names(): Demographics['names'] {
    this.#names ??= nameFormsOf(this.#patient)
    return this.#names
  }

  get phones(): Demographics['phones'] {
    this.#phones ??= comparablePhones(telecom(this.#patient, 'phone'), this.#region)
    return this.#phones
  }

  get emails(): Demographics['emails'] {
    this.#emails ??= emailsOf(this.#patient)
    return this.#emails
  }

  get addresses(): Demographics['addresses'] {
    this.#addresses ??= addressesOf(this.#patient)
    return this.#addresses
  }

  get identifiers(): Demographics['identifiers'] {
    this.#identifiers ??= identifiersOf(this.#patient)
    return this.#identifiers
  }
}

const comparablePhones = (numbers: readonly string[], region: string | undefined): readonly string[] =>
  [...new Set(numbers.map((number) => comparablePhone(number, region)))].filter((number) => number !== '')

/** Whether the lists share a number. @param region see demographicsOf */
export const sharesPhone = (mine: readonly string[], theirs: readonly string[], region?: string): boolean => {
  const others = comparablePhones(theirs, region)
  return comparablePhones(mine, region).some((number) => others.some((other) => samePhone(number, other)))
}

/** Contacts except old ones, which may belong to another person by now; at most `MAX_CONTACTS`. */
export const telecom = ({ telecom = [] }: Patient, system: 'phone' | 'email'): readonly string[] =>
  telecom
    .filter((contact) => contact.use !== 'old')
    .filter((contact) => contact.system === system || (contact.system === 'sms' && system === 'phone'))
    .flatMap(({ value }) => value ?? [])
    .slice(0, MAX_CONTACTS)
    .map(compared)

const emailsOf = (patient: Patient): readonly string[] =>
  [...new Set(telecom(patient, 'email').map((value) => value.trim().toLowerCase()))].filter((email) =>
    email.includes('@'),
  )

const identifiersOf = ({ identifier = [] }: Patient): readonly ComparedIdentifier[] =>
  identifier
    .slice(0, MAX_CONTACTS)
    .map(({ system = '', value = '' }) => ({ system, value: identifierValue(value) }))
    .filter(({ value }) => value !== '')

/** Separators and case vary. */
const identifierValue = (value: string): string =>
  compared(value)
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** The addresses that name a place within a country. */
const addressesOf = ({ address = [] }: Patient): readonly ComparedAddress[] =>
  address
    .slice(0, MAX_ADDRESSES)
    .map(addressParts)
    .filter(({ lines, postalCode, city }) => lines.length > 0 || postalCode !== '' || city !== '')

function addressParts({ line = [], postalCode, city, text }: Address): ComparedAddress {
  const folded = (line.length === 0 ? [text] : line.slice(0, MAX_LINES)).map((one) => fold(compared(one ?? '')))
  const lines = folded.filter((one) => one !== '')
  return {
    lines,
    words: [...new Set(lines.flatMap((one) => one.split(' ')))],
    postalCode: fold(compared(postalCode ?? '')).replaceAll(' ', ''),
    city: fold(compared(city ?? '')),
  }
}
