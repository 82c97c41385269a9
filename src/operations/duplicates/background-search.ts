/**
 * Runs the searches for duplicate patients in the background: patient by patient in the order of ids, each compared
 * with possible duplicates. The pairs found are committed together with the progress of the search, so that another
 * server continues exactly there if this one dies. Clinics take turns; a server holds a lease on the record of the
 * clinic at work. When a search ends, the pairs of earlier searches are deleted.
 */

import type { Patient } from 'fhir/r4'
import type { Logger } from 'pino'
import { readSettings } from '../../clinics/settings.ts'
import { linkPatients } from '../../core/patient-linkage.ts'
import type { BackgroundLoop, LeasedJob } from '../../isolation/background-loop.ts'
import { Budget, BudgetError, withBudget } from '../../isolation/budget.ts'
import { isPlaceholder, isReplaced } from '../../matching/placeholder.ts'
import { duplicateOdds } from '../../matching/score.ts'
import { dueRecordLoop } from '../../repository/due-records.ts'
import type { Repository, UnitOfWork, Versioned } from '../../repository/repository.ts'
import { plainPage } from '../../search/plan.ts'
import {
  continued,
  DUPLICATE_SEARCH,
  type DuplicateSearch,
  idsOf,
  type LikelyPair,
  NEWEST,
  type SearchProgress,
  stageDeletions,
  stagePairs,
} from './duplicate-search.ts'
import { isListed } from './pair.ts'

/** Times in milliseconds; `batch` is a number of patients. */
const PACE = {
  /** Between two checks for work. */
  look: 500,
  batch: 8,
  /** Between two batches, in addition to the duration of the last one. */
  pause: 5,
  /** Longest work on one clinic before the next one's turn. */
  turn: 1_000,
  /** Time after which another server takes over from a dead one. */
  lease: 15_000,
}

type Compare = (batch: PatientBatch) => Promise<ComparedBatch>

/** @param compare replaces `comparePatients`, which could block the event loop for too long */
export const duplicateSearches = (
  repository: Repository,
  logger: Logger,
  compare: Compare = (batch) => comparePatients(repository, batch),
): BackgroundLoop => {
  const services = { repository, logger, compare }
  return dueRecordLoop(
    services,
    {
      kind: DUPLICATE_SEARCH,
      lease: PACE.lease,
      begin: ({ clinic, value, version }) => new ClinicTurn(services, clinic, { version, search: value }),
      failure: 'the duplicate patients of a clinic could not be searched for',
    },
    PACE,
  )
}

interface Services {
  readonly repository: Repository
  readonly logger: Logger
  readonly compare: Compare
}

interface Turn {
  /** Version of the record, valid until another writer changes it. */
  readonly version: number
  readonly search: DuplicateSearch
}

class ClinicTurn implements LeasedJob {
  readonly #services: Services
  readonly #clinic: string
  readonly #end = Date.now() + PACE.turn
  /** Undefined once the lease is lost. */
  #turn: Turn | undefined
  #isDone = false

  constructor(services: Services, clinic: string, turn: Turn) {
    this.#services = services
    this.#clinic = clinic
    this.#turn = turn
  }

  async batch(): Promise<boolean> {
    if (this.#turn === undefined) return false
    if (this.#turn.search.state === 'searching') await this.#compare(this.#turn)
    else await this.#deleteOld(this.#turn)
    return this.#turn !== undefined && !this.#isDone && Date.now() <= this.#end
  }

  async end(): Promise<void> {
    const turn = this.#turn
    if (turn === undefined) return
    const isDone = this.#isDone
    await this.#services.repository.change(this.#clinic, async (unit) => {
      if (!(await isOurs(unit, turn))) return
      unit.records.put(DUPLICATE_SEARCH, NEWEST, turn.search, { due: isDone ? null : unit.now })
    })
  }

  async #compare(turn: Turn): Promise<void> {
    const { repository, compare } = this.#services
    const { after } = turn.search
    const batch = await compare({ clinic: this.#clinic, limit: PACE.batch, ...(after === undefined ? {} : { after }) })
    this.#turn = await repository.change(this.#clinic, (unit) => record(unit, turn, batch))
    if (this.#turn?.search.state === 'complete') this.#report(this.#turn.search)
  }

  async #deleteOld(turn: Turn): Promise<void> {
    this.#isDone = await this.#services.repository.change(this.#clinic, async (unit) => {
      if (!(await isOurs(unit, turn))) return true
      return !(await stageDeletions(unit, turn.search.shown?.number))
    })
  }

  #report({ compared, failed, pairs }: DuplicateSearch): void {
    this.#services.logger.info({ clinic: this.#clinic, compared, failed, pairs }, 'search for duplicate patients')
  }
}

/** Extends the lease, and saves the progress of the search. */
function lease({ records, now }: UnitOfWork, search: DuplicateSearch): Turn {
  records.put(DUPLICATE_SEARCH, NEWEST, search, { due: now + PACE.lease })
  return { version: records.nextVersion(DUPLICATE_SEARCH, NEWEST), search }
}

/**
 * True while no one else has written the record: another server, after the lease expired, or a user who cancelled the
 * search.
 */
const isOurs = async ({ records }: UnitOfWork, { version }: Turn): Promise<boolean> =>
  (await records.read(DUPLICATE_SEARCH, NEWEST))?.version === version

/** Stages the pairs of a batch, and the progress of the search; undefined: the lease is lost. */
async function record(unit: UnitOfWork, turn: Turn, batch: ComparedBatch): Promise<Turn | undefined> {
  if (!(await isOurs(unit, turn))) return undefined
  const pairs = await stagePairs(unit, turn.search.number, batch.pairs)
  return lease(unit, continued(turn.search, { ...batch, pairs }, batch.next, unit.now))
}

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
  const unit = await repository.reader(clinic)
  const { defaultRegion } = await readSettings(unit, clinic)
  const page = plainPage({ clinic, types: ['Patient'], where: [], count: limit, after })
  const { matches, next } = await unit.search(page)
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
