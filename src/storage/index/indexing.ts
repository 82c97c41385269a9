/**
 * Indexing after an upgrade, in the background: fills the parts of the search index that an older server has not
 * written.
 */
import { randomUUID } from 'node:crypto'
import { BackgroundLoop, type Job, type JobSource, type LeasedJob, type Pace } from '../../isolation/background-loop.ts'
import type { ComponentHealth } from '../../isolation/fair-queue.ts'
import type { CombinedIndex, CoveredParameters } from '../../search/plan.ts'
import type { Extraction, IndexingProgress } from '../port.ts'
import { type IndexStorage, isComplete, type SearchIndex, StoreOutdated, type TypeIndex } from './search-index.ts'
import { IndexingEstimate, type OnUpgrade } from './upgrade.ts'

export interface Batch {
  /** Resources examined; 0: there are no more. */
  readonly done: number
  /** Number of these that keep their old entries, since none could be extracted. */
  readonly failed: number
}

/** The engine's part of the work. */
export interface IndexingStorage extends IndexStorage {
  /**
   * Milliseconds after the completion of a type in which a server that wants other parts may still write resources of
   * it.
   */
  readonly lateFor: number
  epoch(): Promise<number>
  /** True when `holder` alone has the lease, for this many milliseconds; 0 gives it up. */
  lease(holder: string, milliseconds: number): Promise<boolean>
  /** Number of resources still to be reindexed. */
  left(index: TypeIndex): Promise<number>
  /** Reindexes a few resources. */
  fill(index: TypeIndex, limit: number): Promise<Batch>
  /** Marks the type as complete, if its generation is still that of `index`. */
  complete(index: TypeIndex): Promise<void>
}

/** A batch takes a few hundredths of a second. */
const PACE: Pace = { batch: 50, pause: 0, look: 5_000, lease: 15_000 }

/** Milliseconds. */
const REPORT_EVERY = 10_000
/** Every so many looks, resources written meanwhile by servers of other versions are indexed too. */
const LOOKS_FOR_LATE = 12

/** Options with which a store is opened. */
export interface IndexingSettings {
  /** Declared by the providers. */
  readonly combined: readonly CombinedIndex[]
  /** Values that an engine need not store twice; absent: none. */
  readonly covered?: CoveredParameters
  /** Absent: resources already stored cannot be reindexed. */
  readonly extraction?: Extraction | undefined
  /** The store is neither searched nor written; its search index stays as it is. */
  readonly onlyScanned?: boolean | undefined
  /** Called before an older store is changed. */
  readonly onUpgrade?: OnUpgrade | undefined
  readonly onIndexing?: ((progress: IndexingProgress) => void) | undefined
  /** Called when the store failed; the work will be retried. */
  readonly onIndexingFault?: ((error: unknown) => void) | undefined
  /** Set by tests only. */
  readonly pace?: Pace | undefined
}

export interface Indexing {
  readonly load: ComponentHealth
  close(): Promise<void>
}

/** Starts the loop; it ends with `close`. */
export function startIndexing(index: SearchIndex, storage: IndexingStorage, settings: IndexingSettings): Indexing {
  const pace = settings.pace ?? PACE
  const work = new UpgradeIndexing(index, storage, settings, pace)
  const loop = new BackgroundLoop(work, pace)
  loop.start()
  return {
    get load() {
      return work.load
    },
    close: () => loop.close(),
  }
}

/** Jobs are resource types, across all clinics. One server holds the lease of them all. */
class UpgradeIndexing implements JobSource {
  readonly #index: SearchIndex
  readonly #storage: IndexingStorage
  readonly #settings: IndexingSettings
  readonly #pace: Pace
  readonly #holder = randomUUID()
  readonly #estimate = new IndexingEstimate()
  #leasedUntil = 0
  #lookedForLate = 0

  constructor(index: SearchIndex, storage: IndexingStorage, settings: IndexingSettings, pace: Pace) {
    this.#index = index
    this.#storage = storage
    this.#settings = settings
    this.#pace = pace
  }

  get load(): ComponentHealth {
    const incomplete = this.#incomplete().map(({ type }) => type)
    return this.#estimate.health(incomplete, this.#leasedUntil > Date.now())
  }

  async *jobs(): AsyncGenerator<Job> {
    await this.#refresh()
    if (!this.#isIndexing) return
    const incomplete = this.#incomplete()
    const late = this.#isTimeForLate() ? this.#index.wantedTypes().filter((type) => this.#maybeLate(type)) : []
    if (incomplete.length + late.length === 0 || !(await this.#isLeased())) return
    this.#estimate.begin(await this.#leftOf(incomplete))
    for (const type of incomplete) yield this.#job(() => this.#upgrade(type))
    for (const type of late) yield this.#job(() => this.#filling(type))
  }

  get #isIndexing(): boolean {
    return this.#settings.extraction !== undefined && this.#settings.onlyScanned !== true
  }

  #incomplete(): readonly TypeIndex[] {
    return this.#isIndexing ? this.#index.wantedTypes().filter((type) => !isComplete(type)) : []
  }

  async #leftOf(types: readonly TypeIndex[]): Promise<ReadonlyMap<string, number>> {
    const left = new Map<string, number>()
    for (const type of types) left.set(type.type, await this.#storage.left(type))
    return left
  }

  failed(error: unknown): boolean {
    if (error instanceof StoreOutdated) this.#index.refuse(error)
    this.#settings.onIndexingFault?.(error)
    return false
  }

  async close(): Promise<void> {
    if (this.#leasedUntil > Date.now()) await this.#storage.lease(this.#holder, 0).catch(() => {})
  }

  /** Takes over changes of the index state by other servers. */
  async #refresh(): Promise<void> {
    if ((await this.#storage.epoch()) !== this.#index.state.epoch) this.#index.accept(await this.#storage.load())
  }

  #isTimeForLate(): boolean {
    const now = Date.now()
    if (this.#storage.lateFor === 0 || now - this.#lookedForLate < LOOKS_FOR_LATE * this.#pace.look) return false
    this.#lookedForLate = now
    return true
  }

  /** True while a server of another version may still write resources of the type. */
  #maybeLate(type: TypeIndex): boolean {
    return isComplete(type) && (type.completed ?? 0) > Date.now() - this.#storage.lateFor
  }

  #job(begin: () => LeasedJob): Job {
    return { lease: async () => ((await this.#isLeased()) ? begin() : undefined) }
  }

  async #isLeased(): Promise<boolean> {
    const now = Date.now()
    const { lease } = this.#pace
    if (this.#leasedUntil - now > lease / 2) return true
    const leased = await this.#storage.lease(this.#holder, lease)
    this.#leasedUntil = leased ? now + lease : 0
    return leased
  }

  #upgrade(type: TypeIndex): LeasedJob {
    const report = reporter(this.#settings.onIndexing, type.type, this.#estimate)
    report('begins', NOTHING)
    return this.#filling(type, {
      onBatch: (sum, { done }) => {
        this.#estimate.did(type.type, done)
        report('goes on', sum)
      },
      onFilled: async (sum) => {
        await this.#storage.complete(type)
        await this.#refresh()
        this.#estimate.completed(type.type)
        report('is complete', sum)
      },
    })
  }

  #filling(type: TypeIndex, { onBatch, onFilled }: FillingListener = {}): LeasedJob {
    let sum = NOTHING
    let isFilled = false
    return {
      batch: async () => {
        if (!(await this.#isLeased())) return false
        const batch = await this.#storage.fill(type, this.#pace.batch)
        isFilled = batch.done === 0
        if (isFilled) return false
        sum = { done: sum.done + batch.done, failed: sum.failed + batch.failed }
        onBatch?.(sum, batch)
        return true
      },
      end: async () => {
        if (isFilled) await onFilled?.(sum)
      },
    }
  }
}

interface FillingListener {
  /** @param sum of all batches so far */
  readonly onBatch?: (sum: Batch, batch: Batch) => void
  /** Called when every resource of the type has been examined. */
  readonly onFilled?: (sum: Batch) => Promise<void>
}

const NOTHING: Batch = { done: 0, failed: 0 }

/** Reports progress within a type at most once per REPORT_EVERY. */
function reporter(onIndexing: IndexingSettings['onIndexing'], type: string, estimate: IndexingEstimate) {
  let reported = 0
  return (state: IndexingProgress['state'], { done, failed }: Batch): void => {
    const now = Date.now()
    if (state === 'goes on' && now - reported < REPORT_EVERY) return
    reported = now
    onIndexing?.({ type, state, done, left: estimate.leftOf(type), failed, ...estimate.rest })
  }
}
