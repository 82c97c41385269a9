/** Compares patients of a clinic with those that may be the same person, a few at a time: see background-search.ts. */
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

/** Patients of a clinic, in the order of their ids. */
export interface PatientBatch {
  readonly clinic: string
  readonly limit: number
  /** Cursor of the batch before. */
  readonly after?: string
  /** Milliseconds that the comparison of one patient may take. */
  readonly longest?: number
}

export interface ComparedBatch extends SearchProgress {
  readonly pairs: readonly LikelyPair[]
  /** Cursor of the next batch, when there is one. */
  readonly next?: string
}

const LONGEST = 500
/** Pairs of one patient, the likeliest: of a thousand records alike, each would otherwise be in a thousand pairs. */
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

/** A record that takes too much, such as one with hundreds of names, does not keep the search from going on. */
async function affordable(longest: number, work: () => Promise<Found>): Promise<Found> {
  try {
    return await withBudget(new Budget({ canMove: false, endsAt: Date.now() + longest }), work)
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error
    return { pairs: [], isFailed: true }
  }
}

/** A placeholder is found by the patients whom it may stand for; two of them tell staff nothing. */
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
