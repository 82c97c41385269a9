/**
 * Carries out the searches for duplicate patients, in the background: patient by patient in the order of their ids, each
 * compared with those that may be the same person. What is found is written together with how far the search is, so that
 * another server goes on exactly there when this one dies. Clinics take turns; a server that works on one has leased its
 * record. Where a search has ended, the pairs of those before it are deleted.
 */
import type { Logger } from 'pino'
import type { BackgroundLoop, LeasedJob } from '../../isolation/background-loop.ts'
import { dueRecordLoop } from '../../repository/due-records.ts'
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

type Compare = (batch: PatientBatch) => Promise<ComparedBatch>

/** @param compare in place of `comparePatients`, where that would hold the event loop for too long */
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

/** Goes on with the lease, and writes how far the search is. */
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
