/**
 * The layer between providers and the store: ids, versions, meta, validation, index extraction, and whole changes. A
 * change is staged in a UnitOfWork and written all or none; after a conflict with another change, the work is repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '../fhir/outcome.ts'
import type { Recent, ReindexedBatch, Reindexing, ResourceStore, StoredRecord } from '../storage/port.ts'
import { IndexIncomplete, StoreConflict } from '../storage/store-errors.ts'
import { searchNotReady } from './index-version.ts'
import { clinicOf, type RecordKind } from './record-kinds.ts'
import { UnitOfWork, type UnitOptions } from './unit-of-work.ts'
import type { KindRecord } from './unit-records.ts'
import { RecordEncryption } from './unit-records.ts'

/** The parts of the storage port needed by folders that may not import it. */
export type { HistoryPage, HistoryQuery, KeysQuery, StoredResource } from '../storage/port.ts'
export { ResourceTooLarge, StoreUnavailable } from '../storage/store-errors.ts'
export { type SearchAnswer, UnitOfWork } from './unit-of-work.ts'
export type { KindRecord } from './unit-records.ts'
export { Versioned } from './versioned.ts'

/** Attempts after which a change that keeps conflicting with others is given up with 409. */
const MAX_ATTEMPTS = 64
/** Attempts made without a pause; later ones wait, longer each time, some five seconds in all. */
const AT_ONCE = 4
/** Longest pause between two attempts, milliseconds. */
const MAX_PAUSE = 200

interface RepositoryOptions {
  readonly baseUrl: string
  /** Words are indexed too (the default). */
  readonly fullText?: boolean
  readonly clock?: (() => number) | undefined
  /** Keys for records that hold secrets, the current one first; absent or none: they are stored in clear. */
  readonly secretsKeys?: readonly string[]
}

type KindQuery = { readonly limit: number } & (
  | { readonly clinic: string; readonly after?: string }
  | { readonly clinic: string; readonly dueBefore: number }
  | { readonly clinic?: undefined; readonly dueBefore: number }
)

export class Repository {
  readonly #store: ResourceStore
  readonly #encryption: RecordEncryption
  readonly #unitOptions: UnitOptions
  readonly #clock: () => number

  constructor(
    store: ResourceStore,
    { baseUrl, fullText = true, clock = Date.now, secretsKeys = [] }: RepositoryOptions,
  ) {
    this.#store = store
    this.#encryption = new RecordEncryption(secretsKeys)
    this.#unitOptions = { baseUrl, fullText, encryption: this.#encryption }
    this.#clock = clock
  }

  /** A unit of work for reading now, which is never committed. */
  reader(clinic: string): UnitOfWork {
    return new UnitOfWork(this.#store, clinic, this.#clock(), this.#unitOptions)
  }

  /**
   * Runs `work` and writes the changes that it staged, all or none. When another change came between, `work` is
   * repeated on the new state, so its only effects must be those staged in its unit.
   * @param isRepeatable see UnitOfWork.commit
   * @throws FhirError 409 when it keeps conflicting, 503 when a guard uses parameters that are still being indexed,
   * ResourceTooLarge, StoreUnavailable
   */
  async change<T>(clinic: string, work: (unit: UnitOfWork) => Promise<T>, isRepeatable = false): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const unit = this.reader(clinic)
      try {
        const result = await work(unit)
        await unit.commit(isRepeatable)
        return result
      } catch (error) {
        if (error instanceof IndexIncomplete) throw searchNotReady(error)
        if (!(error instanceof StoreConflict)) throw error
        if (attempt === MAX_ATTEMPTS) {
          throw conflict(`${error.subject} is constantly being changed by other requests; try again later`)
        }
        // A replica set that has just lost a node shows another process's change only after a while.
        if (attempt > AT_ONCE) await sleep(Math.random() * Math.min(MAX_PAUSE, 2 ** (attempt - AT_ONCE)))
      }
    }
  }

  /** @param clinic ignored for a kind that belongs to the whole service */
  async readRecord<V>(clinic: string, kind: RecordKind<V>, key: string): Promise<KindRecord<V> | undefined> {
    const stored = await this.#store.readRecord(clinicOf(kind, clinic), kind.name, key)
    return this.#encryption.decrypt(stored) as KindRecord<V> | undefined
  }

  /** For records that are read with every request: see ResourceStore. */
  readRecent<V>(clinic: string, kind: RecordKind<V>, key: string): Recent<KindRecord<V>> {
    const decrypted = (stored: StoredRecord | undefined) =>
      this.#encryption.decrypt(stored) as KindRecord<V> | undefined
    const stored = this.#store.readRecent(clinicOf(kind, clinic), kind.name, key)
    return stored instanceof Promise ? stored.then(decrypted) : decrypted(stored)
  }

  /**
   * Records of one clinic by key, those behind `after`; or records due at `dueBefore` (ms) by time, of every clinic
   * where none is given.
   */
  async records<V>(kind: RecordKind<V>, query: KindQuery): Promise<readonly KindRecord<V>[]> {
    const stored = await this.#store.records({ kind: kind.name, ...query })
    return stored.map((record) => this.#encryption.decrypt(record)) as readonly KindRecord<V>[]
  }

  /**
   * Encrypts a record that is stored in clear, or with an earlier key; does nothing where there is no key.
   * @returns whether it was encrypted
   * @throws Error when it cannot be decrypted
   */
  async encryptRecord(clinic: string, kind: RecordKind<unknown>, key: string): Promise<boolean> {
    const stored = await this.#store.readRecord(clinicOf(kind, clinic), kind.name, key)
    this.#encryption.decrypt(stored)
    if (stored === undefined || this.#encryption.isCurrent(stored)) return false
    await this.change(clinic, async (unit) => {
      const current = await unit.records.read(kind, key)
      if (current !== undefined) unit.records.put(kind, key, current.value, { due: current.due })
    })
    return true
  }

  /** Reindexes one batch of resources: see ResourceStore. */
  reindex(batch: Reindexing): Promise<ReindexedBatch> {
    return this.#store.reindex(batch)
  }

  /** All clinics that have a resource or a record; SERVICE first, where the service has records. */
  clinics(): Promise<readonly string[]> {
    return this.#store.clinics()
  }

  isEmpty(): Promise<boolean> {
    return this.#store.isEmpty()
  }
}
