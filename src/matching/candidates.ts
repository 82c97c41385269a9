/** Which patients are worth comparing: the searches that find them. */
import type { Patient } from 'fhir/r4'
import { namesOf } from './names.ts'

/** A value of a query, escaped: https://hl7.org/fhir/R4/search.html#escaping */
const escaped = (value: string): string => encodeURIComponent(value.replace(/[\\,|$]/g, (char) => `\\${char}`))

/**
 * Query strings for Patient, the most telling first. Each is narrow: an identifier, a phone number, an e-mail
 * address, a name with a birth date, or both names in either order. Empty: nothing in `asked` can be searched by.
 */
export function candidateQueries(asked: Patient): readonly string[] {
  return [...new Set([...identifierQueries(asked), ...telecomQueries(asked), ...nameQueries(asked)])]
}

const identifierQueries = ({ identifier = [] }: Patient): readonly string[] =>
  identifier
    .filter(({ value }) => value)
    .map(({ system, value = '' }) => `identifier=${system === undefined ? '' : `${escaped(system)}|`}${escaped(value)}`)

/** Search compares numbers and addresses without their formatting and case. */
const telecomQueries = ({ telecom = [] }: Patient): readonly string[] =>
  telecom.filter(({ value }) => value).map(({ value = '' }) => `telecom=${escaped(value)}`)

function nameQueries(asked: Patient): readonly string[] {
  const { families, givens } = namesOf(asked)
  const born = asked.birthDate === undefined ? [] : [...families, ...givens]
  return [
    ...born.map((part) => `name=${escaped(part)}&birthdate=${asked.birthDate}`),
    ...families.flatMap((family) => givens.flatMap((given) => [fullName(family, given), fullName(given, family)])),
    ...(givens.length === 0 ? families.map((family) => `family=${escaped(family)}`) : []),
    ...(families.length === 0 ? givens.map((given) => `given=${escaped(given)}`) : []),
  ]
}

const fullName = (family: string, given: string): string => `family=${escaped(family)}&given=${escaped(given)}`
