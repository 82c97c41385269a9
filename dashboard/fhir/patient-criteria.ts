/** Text typed to find a patient, as search parameters. */

type Criteria = readonly (readonly [name: string, value: string])[]

/**
 * A date is a birth date, digits are a phone number, text with an @ is an e-mail address, a record number is an
 * identifier; each word of anything else begins a part of the name.
 */
export function criteriaOf(text: string): Criteria {
  const typed = text.trim()
  if (typed === '') return []
  if (/^\d{4}(-\d{2}(-\d{2})?)?$/.test(typed)) return [['birthdate', typed]]
  if (typed.includes('@')) return [['email', escaped(typed)]]
  if (/^\+?[\d\s().-]{4,}$/.test(typed)) return [['phone', typed.replace(/[^\d+]/g, '')]]
  if (/^[A-Za-z]{1,4}-?\d{2,}$/.test(typed)) return [['identifier', typed.toUpperCase()]]
  return typed
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => ['name', escaped(word)] as const)
}

/** As https://hl7.org/fhir/R4/search.html#escaping asks for. */
/** The value as a search parameter takes it. https://hl7.org/fhir/R4/search.html#escaping */
export const escaped = (value: string): string => value.replace(/[\\$|,]/g, (character) => `\\${character}`)
