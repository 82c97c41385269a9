/** Which patients are worth comparing: the searches that find them. */
import type { Patient } from 'fhir/r4'

/** What a query value must escape: https://hl7.org/fhir/R4/search.html#escaping */
const escape = (value: string): string => encodeURIComponent(value.replace(/[\\,|$]/g, (char) => `\\${char}`))

/**
 * Query strings for Patient, the most telling first. Each is narrow: an identifier, a phone number, an e-mail
 * address, a name with a birth date, or both names in either order. Empty: nothing in `asked` can be searched by.
 */
export function candidateQueries(asked: Patient): readonly string[] {
  const queries: string[] = []
  for (const { system, value } of asked.identifier ?? []) {
    if (value) queries.push(`identifier=${system === undefined ? '' : `${escape(system)}|`}${escape(value)}`)
  }
  for (const { value } of asked.telecom ?? []) {
    if (value) queries.push(...telecomForms(value).map((form) => `telecom=${escape(form)}`))
  }
  const families = (asked.name ?? []).flatMap(({ family }) => family ?? [])
  const givens = (asked.name ?? []).flatMap(({ given }) => given ?? [])
  for (const family of families) {
    if (asked.birthDate) queries.push(`name=${escape(family)}&birthdate=${asked.birthDate}`)
    for (const given of givens)
      queries.push(`family=${escape(family)}&given=${escape(given)}`, `family=${escape(given)}&given=${escape(family)}`)
    if (givens.length === 0) queries.push(`family=${escape(family)}`)
  }
  for (const given of givens) {
    if (asked.birthDate) queries.push(`name=${escape(given)}&birthdate=${asked.birthDate}`)
    if (families.length === 0) queries.push(`given=${escape(given)}`)
  }
  for (const { text } of asked.name ?? []) {
    if (text && families.length === 0 && givens.length === 0)
      queries.push(`name=${escape(text.split(/\s+/).at(-1) ?? text)}`)
  }
  return [...new Set(queries)]
}

/** As given, and with nothing but digits and plus: numbers are stored in either form. */
function telecomForms(value: string): string[] {
  if (value.includes('@')) return [value, value.toLowerCase()]
  const bare = value.replace(/[^\d+]/g, '')
  return bare === '' ? [value] : [value, bare]
}
