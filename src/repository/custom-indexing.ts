/**
 * Indexing by a clinic's own search parameters, in the background: its stored resources are reindexed when it adds,
 * changes or removes one. The record CUSTOM_PROGRESS holds the progress and, by its due time, says that there is work.
 * A server leases the record while it works on it, so that another server takes over when it dies.
 */
import type { Logger } from 'pino'
import type { BackgroundLoop, LeasedJob, Pace } from '../isolation/background-loop.ts'
import { type CustomIndex, customIndexIn, declarationIn, type IndexedType } from '../search/index/custom-declaration.ts'
import { dueRecordLoop, type LeasedRecord } from './due-records.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY, CUSTOM_PROGRESS } from './record-kinds.ts'
import type { Repository, UnitOfWork } from './repository.ts'

interface TurnPace extends Pace {
  /** Milliseconds of work on a clinic before its progress is written and the next one has its turn. */
  readonly turn: number
}

const PACE: TurnPace = { look: 500, batch: 50, pause: 0, turn: 1_000, lease: 15_000 }

type Reindex = Repository['reindex']

/**
 * Clinics take turns, so that a large one does not hold up a small one.
 * @param reindex replaces the repository's own, which might hold the event loop for too long
 */
export const customIndexing = (
  repository: Repository,
  logger: Logger,
  reindex: Reindex = (batch) => repository.reindex(batch),
): BackgroundLoop => {
  const services = { repository, logger, reindex }
  return dueRecordLoop(
    services,
    {
      kind: CUSTOM_PROGRESS,
      lease: PACE.lease,
      begin: async (record, unit) => new ClinicTurn(services, record.clinic, await turnOf(record, unit)),
      failure: 'the search parameters of a clinic could not be worked on',
    },
    PACE,
  )
}

interface Services {
  readonly repository: Repository
  readonly logger: Logger
  readonly reindex: Reindex
}

interface Turn {
  /** The version of the progress record, unless it has been written since. */
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

/** Types that need a newer index version than they have, each with the needed version. */
const pending = ({ types }: CustomIndex, wanted: Turn['wanted']): readonly (readonly [string, number])[] =>
  Object.entries(wanted).filter(([type, version]) => (types[type]?.indexVersion ?? 0) < version)

async function turnOf({ version, value }: LeasedRecord<unknown>, { records }: UnitOfWork): Promise<Turn> {
  const declaration = await records.read(CUSTOM_DECLARATION, CUSTOM_KEY)
  return { version, index: customIndexIn(value), wanted: declarationIn(declaration?.value).types }
}

/** Writes the progress, unless the parameters have changed: then the progress record was written with them. */
async function settle({ records, now }: UnitOfWork, { version, wanted }: Turn, index: CustomIndex): Promise<void> {
  const record = await records.read(CUSTOM_PROGRESS, CUSTOM_KEY)
  if (record?.version !== version) return
  const due = pending(index, wanted).length === 0 ? null : now
  records.put(CUSTOM_PROGRESS, CUSTOM_KEY, index, { due })
}
