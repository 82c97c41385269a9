/** What somebody types to find a patient, as search parameters. */
import type { Parameters } from '../api/queries.ts'
import { PLACEHOLDER } from './patients.ts'

/** Nothing but what a list shows. */
const SHOWN = 'name,birthDate,telecom,identifier,active,link'

type Criteria = readonly (readonly [name: string, value: string])[]

/**
 * A date is a birth date, digits are a phone number, what has an @ is an e-mail address, a record number is an
 * identifier; each word of anything else begins a part of the name.
 */
export function criteriaOf(text: string): Parameters {
  const typed = text.trim()
  if (typed === '') return []
  if (/^\d{4}(-\d{2}(-\d{2})?)?$/.test(typed)) return [['birthdate', typed]]
  if (typed.includes('@')) return [['email', typed]]
  if (/^\+?[\d\s().-]{4,}$/.test(typed)) return [['phone', phoneOf(typed)]]
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
    .map((word) => ['name', word] as const)
}

/** As the list is asked for. @param tab `placeholders`, or the patients of the clinic */
export const listParameters = (text: string, tab: string): Parameters => [
  ...criteriaOf(text),
  [tab === 'placeholders' ? '_tag' : '_tag:not', PLACEHOLDER],
  ['_sort', tab === 'placeholders' ? '-_lastUpdated' : 'family,given'],
  ['_elements', SHOWN],
  ['_total', 'accurate'],
  ['_count', '100'],
]

const phoneOf = (typed: string): string => typed.replace(/[^\d+]/g, '')
    .map((word) => ['name', escaped(word)] as const)
}

/** As https://hl7.org/fhir/R4/search.html#escaping asks for. */
const escaped = (value: string): string => value.replace(/[\\$|,]/g, (character) => `\\${character}`)
