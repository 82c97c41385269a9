/**
 * Carries out the searches for duplicate patients, in the background: patient by patient in the order of their ids, each
 * compared with those that may be the same person. What is found is written together with how far the search is, so that
 * another server goes on exactly there when this one dies. Clinics take turns; a server that works on one has leased its
 * record. Where a search has ended, the pairs of those before it are deleted.
 */
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type LeasedJob } from '../../budget/background-loop.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'
import { type ComparedBatch, comparePatients, type PatientBatch } from './compare-patients.ts'
import { continued, DUPLICATE_SEARCH, type DuplicateSearch, NEWEST } from './duplicate-search.ts'
import { stageDeletions, stagePairs } from './found-pairs.ts'

/** Milliseconds; patients of a batch. */
const PACE = {
  /** Between two looks for work. */
  look: 500,
  batch: 8,
  /** Between two batches, besides the time that the last one took. */
  pause: 5,
  /** Of work on a clinic before the next one has its turn. */
  turn: 1_000,
  /** After which another server goes on where one has died. */
  lease: 15_000,
}
/** Clinics of one query for work. */
const MAX_CLINICS = 20

type Compare = (batch: PatientBatch) => Promise<ComparedBatch>

/**
 * Several processes may run one each.
 * @param compare in place of `comparePatients`, where that would hold the event loop for too long
 */
export const duplicateSearches = (
  repository: Repository,
  logger: Logger,
  compare: Compare = (batch) => comparePatients(repository, batch),
): BackgroundLoop => new BackgroundLoop(new ClinicsToSearch({ repository, logger, compare }), PACE)

interface Services {
  readonly repository: Repository
  readonly logger: Logger
  readonly compare: Compare
}

class ClinicsToSearch implements JobSource {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  async *jobs(): AsyncGenerator<Job> {
    const { repository } = this.#services
    for (let hasWorked = true; hasWorked; ) {
      hasWorked = false
      const due = { dueBefore: Date.now(), limit: MAX_CLINICS }
      for (const { clinic } of await repository.records(DUPLICATE_SEARCH, due)) {
        const lease = async (): Promise<LeasedJob | undefined> => {
          const turn = await repository.change(clinic, takeTurn)
          hasWorked ||= turn !== undefined
          return turn && new ClinicTurn(this.#services, clinic, turn)
        }
        yield { lease }
      }
    }
  }

  /** A fault with one clinic leaves the others alone; its own lease makes it wait. */
  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, 'the duplicate patients of a clinic could not be searched for')
    return true
  }
}

interface Turn {
  /** Of the record, unless somebody else has written it since. */
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

/** Leases the record; undefined: another server has leased it. */
async function takeTurn(unit: UnitOfWork): Promise<Turn | undefined> {
  const { records, now } = unit
  const record = await records.read(DUPLICATE_SEARCH, NEWEST)
  if (record === undefined || record.due === null || record.due > now) return undefined
  return lease(unit, record.value)
}

function lease({ records, now }: UnitOfWork, search: DuplicateSearch): Turn {
  records.put(DUPLICATE_SEARCH, NEWEST, search, { due: now + PACE.lease })
  return { version: records.nextVersion(DUPLICATE_SEARCH, NEWEST), search }
}

/** Nobody has written the record since: neither another server, after the lease, nor somebody who has cancelled the search. */
const isOurs = async ({ records }: UnitOfWork, { version }: Turn): Promise<boolean> =>
  (await records.read(DUPLICATE_SEARCH, NEWEST))?.version === version

/** Stages what a batch has found, and how far the search is with it; undefined: the lease is lost. */
async function record(unit: UnitOfWork, turn: Turn, batch: ComparedBatch): Promise<Turn | undefined> {
  if (!(await isOurs(unit, turn))) return undefined
  const pairs = await stagePairs(unit, turn.search.number, batch.pairs)
  return lease(unit, continued(turn.search, { ...batch, pairs }, batch.next, unit.now))
}
