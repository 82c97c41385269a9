/** The searches that find candidates for a patient match. */
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'
import { namesOf } from './names.ts'
import { phoneSpellings } from './phones.ts'

/** Escapes a value in a query: https://hl7.org/fhir/R4/search.html#escaping */
const escaped = (value: string): string => encodeURIComponent(value.replace(/[\\,|$]/g, (char) => `\\${char}`))

/** The most selective ones are enough. */
const MAX_QUERIES = 100

/**
 * Query strings for Patient, the most specific first, at most `MAX_QUERIES`. Each is narrow: an identifier, a phone number, an e-mail
 * address, a name or an address with a birth date, or both names in either order. Empty when `patient` has nothing to
 * search by.
 */
export function candidateQueries(patient: Patient): readonly string[] {
  const queries = new Set<string>()
  for (const query of allQueries(patient)) {
    queries.add(query)
    if (queries.size === MAX_QUERIES) break
  }
  return [...queries]
}

function* allQueries(patient: Patient): Generator<string> {
  yield* identifierQueries(patient)
  yield* telecomQueries(patient)
  yield* namesWithBirthDate(patient)
  yield* nameQueries(patient)
  yield* addressQueries(patient)
}

const identifierQueries = ({ identifier = [] }: Patient): readonly string[] =>
  identifier
    .filter(({ value }) => value)
    .map(({ system, value = '' }) => `identifier=${system === undefined ? '' : `${escaped(system)}|`}${escaped(value)}`)

/** Search ignores the formatting of numbers and the case of addresses. */
const telecomQueries = ({ telecom = [] }: Patient): readonly string[] =>
  telecom
    .filter(({ value }) => value)
    .map(({ system, value = '' }) =>
      system === 'email' ? `telecom=${escaped(value)}` : `telecom=${phoneSpellings(value).map(escaped).join(',')}`,
    )

function namesWithBirthDate(patient: Patient): readonly string[] {
  const names = namesOf(patient)
  const parts = [...names.map(({ family }) => family), ...names.flatMap(({ given }) => given)].filter(Boolean)
  return patient.birthDate === undefined
    ? []
    : parts.map((part) => `name=${escaped(part)}&birthdate=${patient.birthDate}`)
}

function* nameQueries(patient: Patient): Generator<string> {
  const names = namesOf(patient)
  const families = names.map(({ family }) => family).filter(Boolean)
  const givens = names.flatMap(({ given }) => given)
  for (const family of families) for (const given of givens) yield* bothNames(family, given)
  if (givens.length === 0) yield* families.map((family) => `family=${escaped(family)}`)
  if (families.length === 0) yield* givens.map((given) => `given=${escaped(given)}`)
}

/** In either order, and as the beginning of a name that has only a text. */
const bothNames = (family: string, given: string): readonly string[] => [
  `family=${escaped(family)}&given=${escaped(given)}`,
  `family=${escaped(given)}&given=${escaped(family)}`,
  `name=${escaped(`${given} ${family}`)},${escaped(`${family} ${given}`)}`,
]

/** With the birth date, as an address alone may be shared by many people. */
const addressQueries = ({ address = [], birthDate }: Patient): readonly string[] =>
  birthDate === undefined ? [] : address.flatMap((one) => clueOf(one)).map((clue) => `birthdate=${birthDate}&${clue}`)

/** The most specific part of an address that can be searched. */
function clueOf({ postalCode = '', city = '', line = [], text = '' }: Address): readonly string[] {
  if (fold(postalCode) !== '') return [`address-postalcode=${escaped(postalCode)}`]
  if (fold(city) !== '') return [`address-city=${escaped(city)}`]
  return [line[0] ?? text].filter((part) => fold(part) !== '').map((part) => `address=${escaped(part)}`)
}
