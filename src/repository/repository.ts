/**
 * Between providers and the store: ids, versions, meta, validation and index extraction, and whole changes.
 * A change is staged in a UnitOfWork and written all or none; when somebody else was faster, the work runs again.
 */
import { conflict } from '../fhir/outcome.ts'
import {
  IndexIncomplete,
  type RecordQuery,
  type ReindexedBatch,
  type Reindexing,
  type ResourceStore,
  StoreConflict,
  type StoredRecord,
} from '../storage/port.ts'
import { beingIndexed } from './index-incomplete.ts'
import { UnitOfWork } from './unit-of-work.ts'

/** What those who may not see the storage port need of it. */
export {
  CUSTOM_INDEX,
  CUSTOM_PARAMETERS,
  type HistoryPage,
  type HistoryQuery,
  ResourceTooLarge,
  type StoredResource,
  StoreUnavailable,
} from '../storage/port.ts'
export { type SearchAnswer, UnitOfWork } from './unit-of-work.ts'
export { validResource, withId } from './valid-resource.ts'
export { Versioned } from './versioned.ts'

/** Attempts before a change that keeps meeting faster ones is given up with 409. */
const MAX_ATTEMPTS = 64

interface RepositoryOptions {
  readonly baseUrl: string
  /** Resources are found by their words too (the default). */
  readonly fullText?: boolean
  readonly clock?: () => number
}

export class Repository {
  readonly #store: ResourceStore
  readonly #baseUrl: string
  readonly #fullText: boolean
  readonly #clock: () => number

  constructor(store: ResourceStore, options: RepositoryOptions) {
    this.#store = store
    this.#fullText = options.fullText ?? true
    this.#baseUrl = options.baseUrl
    this.#clock = options.clock ?? Date.now
  }

  /** A unit of work that reads now and is never committed. */
  reader(clinic: string): UnitOfWork {
    return new UnitOfWork(this.#store, clinic, this.#clock(), this.#baseUrl, this.#fullText)
  }

  /**
   * Runs `work` and writes what it staged, all or none. When another change came between, `work` runs again on
   * the new state, so it must have no effects but those staged in its unit.
   * @throws FhirError 409 when it keeps losing, ResourceTooLarge, StoreUnavailable
   */
  async change<T>(clinic: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const unit = this.reader(clinic)
      try {
        const result = await work(unit)
        await unit.commit()
        return result
      } catch (error) {
        if (error instanceof IndexIncomplete) throw beingIndexed(error)
        if (!(error instanceof StoreConflict)) throw error
        if (attempt === MAX_ATTEMPTS) {
          throw conflict(`${error.subject} is being changed by other requests all the time; try again later`)
        }
      }
    }
  }

  readRecord(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined> {
    return this.#store.readRecord(clinic, kind, key)
  }

  /** For what is read with every request: see ResourceStore. */
  readRecent(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined> {
    return this.#store.readRecent(clinic, kind, key)
  }

  records(query: RecordQuery): Promise<readonly StoredRecord[]> {
    return this.#store.records(query)
  }

  /** Reindexes one batch of resources: see ResourceStore. */
  reindex(batch: Reindexing): Promise<ReindexedBatch> {
    return this.#store.reindex(batch)
  }

  isEmpty(): Promise<boolean> {
    return this.#store.isEmpty()
  }
}
