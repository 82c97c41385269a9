/** Compares patients of a clinic with their possible duplicates, a few at a time: see background-search.ts. */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import { linkPatients } from '../../core/patient-linkage.ts'
import { Budget, BudgetError, withBudget } from '../../isolation/budget.ts'
import { isPlaceholder, isReplaced } from '../../matching/placeholder.ts'
import { duplicateOdds } from '../../matching/score.ts'
import type { Repository, UnitOfWork, Versioned } from '../../repository/repository.ts'
import type { SearchProgress } from './duplicate-search.ts'
import { idsOf, type LikelyPair } from './found-pairs.ts'
import { isListed } from './pair.ts'

/** Patients of a clinic, in the order of ids. */
export interface PatientBatch {
  readonly clinic: string
  readonly limit: number
  /** Cursor from the previous batch. */
  readonly after?: string
  /** Time limit for the comparison of one patient, in milliseconds. */
  readonly longest?: number
}

export interface ComparedBatch extends SearchProgress {
  readonly pairs: readonly LikelyPair[]
  /** Cursor of the next batch, if there is one. */
  readonly next?: string
}

const LONGEST = 500
/**
 * Most pairs of one patient, the likeliest: with a thousand similar records, each would otherwise be in a thousand
 * pairs.
 */
const MOST_PAIRS = 20

/** @throws FhirError 503 while the keys of stored patients are being indexed */
export async function comparePatients(
  repository: Repository,
  { clinic, limit, after, longest = LONGEST }: PatientBatch,
): Promise<ComparedBatch> {
  const unit = repository.reader(clinic)
  const { defaultRegion } = await readSettings(unit, clinic)
  const { matches, next } = await unit.search({
    ...{ clinic, types: ['Patient'], where: [], sort: [], count: limit, total: 'none', include: [], includeLimit: 0 },
    ...(after === undefined ? {} : { after }),
  })
  const found: Found[] = []
  for (const patient of matches) found.push(await affordable(longest, () => duplicatesOf(unit, patient, defaultRegion)))
  return {
    pairs: found.flatMap(({ pairs }) => pairs),
    compared: found.length,
    failed: found.filter(({ isFailed }) => isFailed).length,
    narrowed: found.filter(({ isNarrowed }) => isNarrowed).length,
    ...(next === undefined ? {} : { next }),
  }
}

interface Found {
  readonly pairs: readonly LikelyPair[]
  readonly isFailed?: true
  readonly isNarrowed?: boolean
}

/** Keeps a record that takes too much work, such as one with hundreds of names, from stopping the search. */
async function affordable(longest: number, work: () => Promise<Found>): Promise<Found> {
  try {
    return await withBudget(new Budget({ canMove: false, endsAt: Date.now() + longest }), work)
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error
    return { pairs: [], isFailed: true }
  }
}

/** Placeholders are found from the patients they may stand for; a pair of two placeholders is of no use to staff. */
async function duplicatesOf(unit: UnitOfWork, { id, resource }: Versioned, region: string | undefined): Promise<Found> {
  const patient = resource as Patient
  if (isReplaced(patient) || isPlaceholder(patient)) return { pairs: [] }
  const linkage = await linkPatients(unit, patient, region, id)
  if (linkage === undefined) return { pairs: [] }
  const { patients: population } = linkage.frequencies
  const pairs = linkage.patients.flatMap((other): readonly LikelyPair[] => {
    const odds = duplicateOdds(other.weight, population)
    return isListed(odds) ? [{ patients: idsOf(id, other.patient.id), odds }] : []
  })
  const likeliest = pairs.toSorted((a, b) => b.odds - a.odds).slice(0, MOST_PAIRS)
  return { pairs: likeliest, isNarrowed: linkage.narrowed || pairs.length > MOST_PAIRS }
}
