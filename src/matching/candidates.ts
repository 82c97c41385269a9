/** The searches that find candidates for a patient match. */
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'
import { namesOf } from './names.ts'
import { phoneSpellings } from './phones.ts'

/** Escapes a value in a query: https://hl7.org/fhir/R4/search.html#escaping */
const escaped = (value: string): string => encodeURIComponent(value.replace(/[\\,|$]/g, (char) => `\\${char}`))

/**
 * Query strings for Patient, the most specific first. Each is narrow: an identifier, a phone number, an e-mail
 * address, a name or an address with a birth date, or both names in either order. Empty when `patient` has nothing to
 * search by.
 */
export function candidateQueries(patient: Patient): readonly string[] {
  return [
    ...new Set([
      ...identifierQueries(patient),
      ...telecomQueries(patient),
      ...nameQueries(patient),
      ...addressQueries(patient),
    ]),
  ]
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

function nameQueries(patient: Patient): readonly string[] {
  const names = namesOf(patient)
  const families = names.map(({ family }) => family).filter(Boolean)
  const givens = names.flatMap(({ given }) => given)
  const born = patient.birthDate === undefined ? [] : [...families, ...givens]
  return [
    ...born.map((part) => `name=${escaped(part)}&birthdate=${patient.birthDate}`),
    ...families.flatMap((family) => givens.flatMap((given) => bothNames(family, given))),
    ...(givens.length === 0 ? families.map((family) => `family=${escaped(family)}`) : []),
    ...(families.length === 0 ? givens.map((given) => `given=${escaped(given)}`) : []),
  ]
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
