/** A pair of patients who may be one person, with their current records. */
import type { Patient } from 'fhir/r4'
import { nameFrequencies } from '../../core/patient-linkage.ts'
import { localReference } from '../../fhir/reference.ts'
import { compare } from '../../matching/compare.ts'
import { demographicsOf } from '../../matching/demographics.ts'
import { isPlaceholder, isReplaced } from '../../matching/placeholder.ts'
import {
  bitsOf,
  duplicateOdds,
  type FieldEvidence,
  type Frequencies,
  gradeOf,
  type MatchGrade,
  probabilityOf,
  weightOf,
} from '../../matching/score.ts'
import type { UnitOfWork, Versioned } from '../../repository/repository.ts'

/** Least probability of a listed pair: staff see at most five such pairs for each that is one person. */
const LISTED = 0.2

export const isListed = (odds: number): boolean => probabilityOf(odds) >= LISTED

/** A listed pair. */
export interface DuplicatePair {
  /** A patient precedes a placeholder, and an active record an inactive one. */
  readonly patients: readonly [Versioned<Patient>, Versioned<Patient>]
  readonly probability: number
  readonly grade: MatchGrade
  readonly evidence: readonly FieldEvidence[]
  readonly frequencies: Frequencies
}

/**
 * Returns undefined if the pair is not, or no longer, to be listed: by the current records, or because these are
 * linked.
 * @param region ISO 3166 code of the clinic's country
 * @throws BudgetError
 */
export async function duplicatePair(
  unit: UnitOfWork,
  [one, other]: readonly [Versioned<Patient>, Versioned<Patient>],
  { region, baseUrl }: { readonly region: string | undefined; readonly baseUrl: string },
): Promise<DuplicatePair | undefined> {
  const [mine, theirs] = [one.resource, other.resource]
  if (isReplaced(mine) || isReplaced(theirs) || (isPlaceholder(mine) && isPlaceholder(theirs))) return undefined
  if (isLinked(mine, other.id, baseUrl) || isLinked(theirs, one.id, baseUrl)) return undefined
  const demographics = demographicsOf(mine, region)
  const frequencies = await nameFrequencies(unit, demographics)
  const evidence = compare(demographics, demographicsOf(theirs, region), (some) => bitsOf(some, frequencies))
  const odds = duplicateOdds(weightOf(evidence, frequencies), frequencies.patients)
  if (!isListed(odds)) return undefined
  const probability = probabilityOf(odds)
  const grade = gradeOf({ probability, evidence }, [])
  return { patients: inOrder(one, other), probability, grade, evidence, frequencies }
}

/** True for any type of link: replaced-by, replaces, refer or seealso. */
const isLinked = ({ link = [] }: Patient, id: string, baseUrl: string): boolean =>
  link.some(({ other: { reference = '' } }) => {
    const local = localReference(reference, baseUrl)
    return local?.type === 'Patient' && local.id === id
  })

const inOrder = (one: Versioned<Patient>, other: Versioned<Patient>): DuplicatePair['patients'] =>
  standing(one.resource) <= standing(other.resource) ? [one, other] : [other, one]

/** Lower for a record that is more likely to be kept. */
const standing = (patient: Patient): number => (isPlaceholder(patient) ? 2 : patient.active === false ? 1 : 0)
