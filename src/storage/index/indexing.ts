/**
 * Makes what the search index lacks, in the background: a few resources at a time, with pauses in which requests are
 * served, by one server at a time. What is done stays done when the server dies; another one, or the next start, goes on.
 */
import { randomUUID } from 'node:crypto'
import type { CombinedIndex } from '../../search/plan.ts'
import type { Extraction, IndexingProgress } from '../port.ts'
import { isComplete, type TypeIndex } from './index-parts.ts'
import { type IndexStorage, type SearchIndex, StoreOutdated } from './search-index.ts'

export interface Batch {
  /** Resources that were looked at; 0: there are no more. */
  readonly done: number
  /** Of these, those that keep the entries they had. */
  readonly failed: number
}

/** What an engine does for it. */
export interface IndexingStorage extends IndexStorage {
  /** Milliseconds after its completion in which a type may still get resources from a server that wants other parts. */
  readonly lateFor: number
  epoch(): Promise<number>
  /** True when `holder` is the one server to work for so many milliseconds; 0 gives the place up. */
  lease(holder: string, milliseconds: number): Promise<boolean>
  /** Resources that are to be made anew. */
  left(index: TypeIndex): Promise<number>
  fill(index: TypeIndex, limit: number): Promise<Batch>
  /** Where the generation is still that of `index`, it has all it wants. */
  complete(index: TypeIndex): Promise<void>
}

export interface Pace {
  /** Resources of a batch. */
  readonly batch: number
  /** Milliseconds. */
  readonly pause: number
  /** Milliseconds between looks at the store. */
  readonly look: number
  /** Milliseconds that another server waits before it goes on where this one died. */
  readonly lease: number
}

/** A batch is over within some hundredths of a second, and requests have as much time as it took. */
const PACE: Pace = { batch: 50, pause: 0, look: 5_000, lease: 15_000 }

/** Milliseconds. */
const REPORT_EVERY = 10_000
/** Looks at the store between two for what servers of other versions have written. */
const LOOKS_FOR_LATE = 12

/** What a store is opened with. */
export interface IndexingSettings {
  /** Declared by the providers. */
  readonly combined: readonly CombinedIndex[]
  /** Absent: nothing can be made for what is stored already. */
  readonly extraction?: Extraction | undefined
  /** Nothing is searched for or written: what the store is searched by stays as it is. */
  readonly onlyScanned?: boolean | undefined
  readonly onIndexing?: ((progress: IndexingProgress) => void) | undefined
  /** The store could not be asked; it is asked again. */
  readonly onIndexingFault?: ((error: unknown) => void) | undefined
  /** Only tests have another one. */
  readonly pace?: Pace | undefined
}

export function startIndexing(index: SearchIndex, storage: IndexingStorage, settings: IndexingSettings): Indexing {
  const indexing = new Indexing(index, storage, settings)
  indexing.start()
  return indexing
}

export class Indexing {
  readonly #index: SearchIndex
  readonly #storage: IndexingStorage
  readonly #settings: IndexingSettings
  readonly #pace: Pace
  readonly #holder = randomUUID()
  #leasedUntil = 0
  #lookedForLate = 0
  #resume = (): void => {}
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()
  #closed = false

  constructor(index: SearchIndex, storage: IndexingStorage, settings: IndexingSettings) {
    this.#index = index
    this.#storage = storage
    this.#settings = settings
    this.#pace = settings.pace ?? PACE
  }

  /** Not at once: whoever starts has enough to do. */
  start(): void {
    this.#schedule()
  }

  /** Waits for the batch under way. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#resume()
    await this.#working
    if (this.#leasedUntil > Date.now()) await this.#storage.lease(this.#holder, 0).catch(() => {})
  }

  #schedule(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#working = this.#work()
    }, this.#pace.look).unref()
  }

  async #work(): Promise<void> {
    try {
      await this.#refresh()
      if (this.#settings.extraction !== undefined && !this.#settings.onlyScanned) await this.#fillAll()
    } catch (error) {
      if (error instanceof StoreOutdated) this.#index.refuse(error)
      this.#settings.onIndexingFault?.(error)
    }
    this.#schedule()
  }

  async #refresh(): Promise<void> {
    if ((await this.#storage.epoch()) !== this.#index.state.epoch) this.#index.accept(await this.#storage.load())
  }

  async #fillAll(): Promise<void> {
    const types = this.#index.wantedTypes()
    const incomplete = types.filter((type) => !isComplete(type))
    const late = this.#isTimeForLate()
      ? types.filter((type) => isComplete(type) && (type.completed ?? 0) > Date.now() - this.#storage.lateFor)
      : []
    if (incomplete.length + late.length === 0 || !(await this.#isLeased())) return
    for (const type of incomplete) if (!this.#closed) await this.#fillType(type)
    // What a server of another version has written since.
    for (const type of late) if (!this.#closed) await this.#fill(type, () => {})
  }

  #isTimeForLate(): boolean {
    const now = Date.now()
    if (this.#storage.lateFor === 0 || now - this.#lookedForLate < LOOKS_FOR_LATE * this.#pace.look) return false
    this.#lookedForLate = now
    return true
  }

  async #fillType(type: TypeIndex): Promise<void> {
    const storage = this.#storage
    const report = this.#reporter(type.type, await storage.left(type))
    report('begins', 0, 0)
    const filled = await this.#fill(type, (done, failed) => report('goes on', done, failed))
    if (filled === undefined) return
    await storage.complete(type)
    await this.#refresh()
    report('is complete', filled.done, filled.failed)
  }

  /** undefined: it has to stop before everything is done. */
  async #fill(
    type: TypeIndex,
    onBatch: (done: number, failed: number) => void,
  ): Promise<{ readonly done: number; readonly failed: number } | undefined> {
    const sum = { done: 0, failed: 0 }
    while (!this.#closed && (await this.#isLeased())) {
      const started = performance.now()
      const { done, failed } = await this.#storage.fill(type, this.#pace.batch)
      if (done === 0) return sum
      sum.done += done
      sum.failed += failed
      onBatch(sum.done, sum.failed)
      await this.#rest(this.#pace.pause + performance.now() - started)
    }
    return undefined
  }

  /** Cut short when the store is closed. */
  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve
      setTimeout(resolve, milliseconds).unref()
    })
  }

  async #isLeased(): Promise<boolean> {
    const now = Date.now()
    const { lease } = this.#pace
    if (this.#leasedUntil - now > lease / 2) return true
    const leased = await this.#storage.lease(this.#holder, lease)
    this.#leasedUntil = leased ? now + lease : 0
    return leased
  }

  #reporter(type: string, total: number) {
    let reported = 0
    return (state: IndexingProgress['state'], done: number, failed: number): void => {
      const now = Date.now()
      if (state === 'goes on' && now - reported < REPORT_EVERY) return
      reported = now
      const left = state === 'is complete' ? 0 : Math.max(0, total - done)
      this.#settings.onIndexing?.({ type, state, done, left, failed })
    }
  }
}
