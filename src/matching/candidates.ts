/** Which patients are worth comparing: the searches that find them. */
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'
import { namesOf } from './names.ts'
import { phoneSpellings } from './phones.ts'

/** A value of a query, escaped: https://hl7.org/fhir/R4/search.html#escaping */
const escaped = (value: string): string => encodeURIComponent(value.replace(/[\\,|$]/g, (char) => `\\${char}`))

/**
 * Query strings for Patient, the most telling first. Each is narrow: an identifier, a phone number, an e-mail
 * address, a name or an address with a birth date, or both names in either order. Empty: nothing in `asked` can be
 * searched by.
 */
export function candidateQueries(asked: Patient): readonly string[] {
  return [
    ...new Set([
      ...identifierQueries(asked),
      ...telecomQueries(asked),
      ...nameQueries(asked),
      ...addressQueries(asked),
    ]),
  ]
}

const identifierQueries = ({ identifier = [] }: Patient): readonly string[] =>
  identifier
    .filter(({ value }) => value)
    .map(({ system, value = '' }) => `identifier=${system === undefined ? '' : `${escaped(system)}|`}${escaped(value)}`)

/** Search compares numbers and addresses without their formatting and case. */
const telecomQueries = ({ telecom = [] }: Patient): readonly string[] =>
  telecom
    .filter(({ value }) => value)
    .map(({ system, value = '' }) =>
      system === 'email' ? `telecom=${escaped(value)}` : `telecom=${phoneSpellings(value).map(escaped).join(',')}`,
    )

function nameQueries(asked: Patient): readonly string[] {
  const names = namesOf(asked)
  const families = names.map(({ family }) => family).filter(Boolean)
  const givens = names.flatMap(({ given }) => given)
  const born = asked.birthDate === undefined ? [] : [...families, ...givens]
  return [
    ...born.map((part) => `name=${escaped(part)}&birthdate=${asked.birthDate}`),
    ...families.flatMap((family) => givens.flatMap((given) => bothNames(family, given))),
    ...(givens.length === 0 ? families.map((family) => `family=${escaped(family)}`) : []),
    ...(families.length === 0 ? givens.map((given) => `given=${escaped(given)}`) : []),
  ]
}

/** In either order, and as the beginning of a name that is only a text. */
const bothNames = (family: string, given: string): readonly string[] => [
  `family=${escaped(family)}&given=${escaped(given)}`,
  `family=${escaped(given)}&given=${escaped(family)}`,
  `name=${escaped(`${given} ${family}`)},${escaped(`${family} ${given}`)}`,
]

/** Many live in one house, few of them were born on one day. */
const addressQueries = ({ address = [], birthDate }: Patient): readonly string[] =>
  birthDate === undefined ? [] : address.flatMap((one) => clueOf(one)).map((clue) => `birthdate=${birthDate}&${clue}`)

/** The narrowest part of an address that a search knows. */
function clueOf({ postalCode = '', city = '', line = [], text = '' }: Address): readonly string[] {
  if (fold(postalCode) !== '') return [`address-postalcode=${escaped(postalCode)}`]
  if (fold(city) !== '') return [`address-city=${escaped(city)}`]
  return [line[0] ?? text].filter((part) => fold(part) !== '').map((part) => `address=${escaped(part)}`)
}
