/**
 * Indexing by a clinic's own search parameters, in the background: what it has stored is reindexed when it adds, changes
 * or removes one. The record CUSTOM_PROGRESS says how far that is and, by its due time, that there is work. A server that
 * works on it has leased it, so that another one goes on when it dies.
 */
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type LeasedJob, type Pace } from '../budget/background-loop.ts'
import { declarationIn } from '../search/index/custom-declaration.ts'
import { type CustomIndex, customIndexIn, customIndexValue, type IndexedType } from '../search/index/custom-progress.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY, CUSTOM_PROGRESS } from './custom-records.ts'
import type { Repository, UnitOfWork } from './repository.ts'

interface TurnPace extends Pace {
  /** Milliseconds of work on a clinic before its progress is written and the next one has its turn. */
  readonly turn: number
}

const PACE: TurnPace = { look: 500, batch: 50, pause: 0, turn: 1_000, lease: 15_000 }
/** Clinics of one query for work. */
const MAX_CLINICS = 20

type Reindex = Repository['reindex']

/**
 * Several processes may run one each.
 * @param reindex as the repository does it, where that would hold the event loop for too long
 */
export const customIndexing = (
  repository: Repository,
  logger: Logger,
  reindex: Reindex = (batch) => repository.reindex(batch),
): BackgroundLoop => new BackgroundLoop(new ClinicsToIndex({ repository, logger, reindex }), PACE)

interface Services {
  readonly repository: Repository
  readonly logger: Logger
  readonly reindex: Reindex
}

/** Jobs are clinics, which take turns, so that a large one does not hold up a small one. */
class ClinicsToIndex implements JobSource {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  async *jobs(): AsyncGenerator<Job> {
    const { repository } = this.#services
    for (let hasWorked = true; hasWorked; ) {
      hasWorked = false
      const due = { dueBefore: Date.now(), limit: MAX_CLINICS }
      for (const { clinic } of await repository.records(CUSTOM_PROGRESS, due)) {
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
    this.#services.logger.error({ fault }, 'the search parameters of a clinic could not be worked on')
    return true
  }
}

interface Turn {
  /** Of the record, unless it has been written since. */
  readonly version: number
  readonly index: CustomIndex
  /** By type, the index version that its resources are to have. */
  readonly wanted: Readonly<Record<string, number>>
}

class ClinicTurn implements LeasedJob {
  readonly #services: Services
  readonly #clinic: string
  readonly #turn: Turn
  readonly #end = Date.now() + PACE.turn
  #index: CustomIndex

  constructor(services: Services, clinic: string, turn: Turn) {
    this.#services = services
    this.#clinic = clinic
    this.#turn = turn
    this.#index = turn.index
  }

  async batch(): Promise<boolean> {
    const { wanted } = this.#turn
    const [next] = pending(this.#index, wanted)
    if (next === undefined) return false
    const [type, towards] = next
    const state = await this.#reindex(type, begun(this.#index.types[type], towards))
    this.#index = { types: { ...this.#index.types, [type]: state } }
    if (state.indexVersion === towards) this.#report(type, state)
    return Date.now() <= this.#end && pending(this.#index, wanted).length > 0
  }

  async end(): Promise<void> {
    await this.#services.repository.change(this.#clinic, (unit) => settle(unit, this.#turn, this.#index))
  }

  async #reindex(type: string, { after, ...state }: IndexedType): Promise<IndexedType> {
    const { done, failed, next } = await this.#services.reindex({
      ...{ clinic: this.#clinic, type, indexVersion: state.towards, limit: PACE.batch },
      ...(after === undefined ? {} : { after }),
    })
    const sum = { ...state, done: state.done + done, failed: state.failed + failed }
    return next === undefined ? { ...sum, indexVersion: state.towards } : { ...sum, after: next }
  }

  #report(type: string, { done, failed }: IndexedType): void {
    if (done > 0) this.#services.logger.info({ clinic: this.#clinic, type, done, failed }, 'custom search index')
  }
}

const begun = (before: IndexedType | undefined, towards: number): IndexedType =>
  before?.towards === towards ? before : { indexVersion: before?.indexVersion ?? 0, towards, done: 0, failed: 0 }

/** Types that need a newer index version than they have, each with that. */
const pending = ({ types }: CustomIndex, wanted: Turn['wanted']): readonly (readonly [string, number])[] =>
  Object.entries(wanted).filter(([type, version]) => (types[type]?.indexVersion ?? 0) < version)

/** Leases the record; undefined: another server has leased it. */
async function takeTurn({ records, now }: UnitOfWork): Promise<Turn | undefined> {
  const record = await records.read(CUSTOM_PROGRESS, CUSTOM_KEY)
  if (record === undefined || record.due === null || record.due > now) return undefined
  const declaration = await records.read(CUSTOM_DECLARATION, CUSTOM_KEY)
  records.put(CUSTOM_PROGRESS, CUSTOM_KEY, record.value, { due: now + PACE.lease })
  return {
    version: record.version + 1,
    index: customIndexIn(record.value),
    wanted: declarationIn(declaration?.value).types,
  }
}

/** Writes the progress, unless the parameters have changed: then the record has been written with them. */
async function settle({ records, now }: UnitOfWork, { version, wanted }: Turn, index: CustomIndex): Promise<void> {
  const record = await records.read(CUSTOM_PROGRESS, CUSTOM_KEY)
  if (record?.version !== version) return
  const due = pending(index, wanted).length === 0 ? null : now
  records.put(CUSTOM_PROGRESS, CUSTOM_KEY, customIndexValue(index), { due })
}
