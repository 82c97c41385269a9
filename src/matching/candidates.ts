/** Which patients are worth comparing: the searches that find them. */
import type { Patient } from 'fhir/r4'

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

function nameQueries({ name = [], birthDate }: Patient): readonly string[] {
  const families = name.flatMap(({ family }) => family || [])
  const givens = name.flatMap(({ given = [] }) => given.filter(Boolean))
  if (families.length === 0 && givens.length === 0) return name.flatMap(({ text }) => textQuery(text))
  const born = birthDate === undefined ? '' : `birthdate=${birthDate}`
  return [
    ...(born === '' ? [] : [...families, ...givens].map((part) => `name=${escaped(part)}&${born}`)),
    ...families.flatMap((family) => givens.flatMap((given) => [fullName(family, given), fullName(given, family)])),
    ...(givens.length === 0 ? families.map((family) => `family=${escaped(family)}`) : []),
    ...(families.length === 0 ? givens.map((given) => `given=${escaped(given)}`) : []),
  ]
}

const fullName = (family: string, given: string): string => `family=${escaped(family)}&given=${escaped(given)}`

/** Of a name that is only a text, the last word: the family name where the given name comes first. */
const textQuery = (text: string | undefined): readonly string[] =>
  text?.trim() ? [`name=${escaped(text.trim().split(/\s+/).at(-1) ?? text)}`] : []
