/**
 * Runs the searches for duplicate patients in the background: patient by patient in the order of ids, each compared
 * with possible duplicates. The pairs found are committed together with the progress of the search, so that another
 * server continues exactly there if this one dies. Clinics take turns; a server holds a lease on the record of the
 * clinic at work. When a search ends, the pairs of earlier searches are deleted.
 */
import type { Logger } from 'pino'
import type { BackgroundLoop, LeasedJob } from '../../isolation/background-loop.ts'
import { dueRecordLoop } from '../../repository/due-records.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'
import { type ComparedBatch, comparePatients, type PatientBatch } from './compare-patients.ts'
import { continued, DUPLICATE_SEARCH, type DuplicateSearch, NEWEST } from './duplicate-search.ts'
import { stageDeletions, stagePairs } from './found-pairs.ts'

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
