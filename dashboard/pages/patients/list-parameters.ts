/** The list of patients as a search. */
import type { Parameters } from '../../api/queries.ts'
import { criteriaOf, type Piece } from '../../fhir/patient-criteria.ts'
import { SEARCHED } from '../../fhir/patient-reasons.ts'
import { PLACEHOLDER } from '../../fhir/patients.ts'

/** @param tab `placeholders`, or the patients of the clinic */
export const listParameters = (pieces: readonly Piece[], tab: string): Parameters => [
  ...criteriaOf(pieces),
  [tab === 'placeholders' ? '_tag' : '_tag:not', PLACEHOLDER],
  ['_sort', tab === 'placeholders' ? '-_lastUpdated' : 'family,given'],
  // Only the elements that a row shows.
  ['_elements', `${SEARCHED},active,link`],
  ['_total', 'accurate'],
  ['_count', '100'],
]
