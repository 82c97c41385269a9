/** The list of patients as a search. */
import type { Parameters } from '../../api/queries.ts'
import { criteriaOf } from '../../fhir/patient-criteria.ts'
import { SEARCHED } from '../../fhir/patient-reasons.ts'
import { PLACEHOLDER } from '../../fhir/patients.ts'
import type { DateReading } from '../../fhir/typed-date.ts'

/** @param tab `placeholders`, or the patients of the clinic */
export const listParameters = (text: string, tab: string, reading: DateReading): Parameters => [
  ...criteriaOf(text, reading),
  [tab === 'placeholders' ? '_tag' : '_tag:not', PLACEHOLDER],
  ['_sort', tab === 'placeholders' ? '-_lastUpdated' : 'family,given'],
  // Only the elements that a row shows.
  ['_elements', `${SEARCHED},active,link`],
  ['_total', 'accurate'],
  ['_count', '100'],
]
