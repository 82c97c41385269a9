/**
 * The layer between providers and the store: ids, versions, meta, validation, index extraction, and whole changes. A
 * change is staged in a UnitOfWork and written all or none; after a conflict with another change, the work is repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '../fhir/outcome.ts'
import { type Budget, currentBudget } from '../isolation/budget.ts'
import type { Recent, ReindexedBatch, Reindexing, ResourceStore, StoredRecord, StoreSnapshot } from '../storage/port.ts'
import { IndexIncomplete, StoreConflict } from '../storage/store-errors.ts'
import {
  type ClinicClock,
  FIRST_GENERATION,
  GENERATION,
  GENERATION_KEY,
  type Generation,
  MOVED_CLOCK,
} from './generation.ts'
import { searchNotReady } from './index-version.ts'
import {
  clinicOfPartition,
  dueTimeOf,
  generationKinds,
  isClinicName,
  partitionOf,
  placeOf,
  type RecordKind,
  SERVICE,
} from './record-kinds.ts'
import { RESTRICTION } from './restriction.ts'
import { UnitOfWork, type UnitOptions } from './unit-of-work.ts'
import type { KindRecord } from './unit-records.ts'
import { RecordEncryption } from './unit-records.ts'

/** The parts of the storage port needed by folders that may not import it. */
export type {
  HistoryPage,
  HistoryQuery,
  KeysQuery,
  ScannedVersion,
  StoredResource,
  StoreSnapshot,
} from '../storage/port.ts'
export { RECENT } from '../storage/port.ts'
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
  /** Restricted patients are hidden, as in a rehearsal; absent: nobody is. */
  readonly isRestricting?: boolean
}

interface KindQuery {
  readonly clinic: string
  /** Most records. */
  readonly limit: number
  /** Only records behind this key. */
  readonly after?: string
}

/** Records that are in memory at a time where all are gone through. */
const RECORDS_OF_PAGE = 200

/** Most clinics whose clocks are not that of the machine, and whose due records are found. */
const MOST_CLOCKS = 1_000

interface ChangeOptions {
  readonly isRepeatable?: boolean
  readonly generation?: Generation | undefined
}

export class Repository {
  readonly #store: ResourceStore
  readonly #encryption: RecordEncryption
  readonly #unitOptions: UnitOptions
  readonly #clock: () => number
  #onEvents = (): void => {}

  constructor(
    store: ResourceStore,
    { baseUrl, fullText = true, clock = Date.now, secretsKeys = [], isRestricting = false }: RepositoryOptions,
  ) {
    this.#store = countedStore(store)
    this.#encryption = new RecordEncryption(secretsKeys)
    this.#unitOptions = {
      baseUrl,
      fullText,
      encryption: this.#encryption,
      restriction: isRestricting ? RESTRICTION : undefined,
      onEvents: () => this.noticeEvents(),
    }
    this.#clock = clock
  }

  /** Calls `onEvents` after each change of this process that has added to the feed of events. */
  tellEvents(onEvents: () => void): void {
    this.#onEvents = onEvents
  }

  /** A change has added to the feed of events: here, or in a work thread of this process. */
  noticeEvents(): void {
    this.#onEvents()
  }

  /** The time of the machine: milliseconds since 1970 UTC. */
  get machineTime(): number {
    return this.#clock()
  }

  /** The current generation of a clinic, known at once where it is in memory; another process shows its change within RECENT. */
  generation(clinic: string): Generation | Promise<Generation> {
    if (clinic === SERVICE) return FIRST_GENERATION
    const found = this.#store.readRecent(clinic, GENERATION.name, GENERATION_KEY)
    return found instanceof Promise ? found.then(generationIn) : generationIn(found)
  }

  /** The time by the clock of a clinic: milliseconds since 1970 UTC. */
  async now(clinic: string): Promise<number> {
    return timeOf((await this.generation(clinic)).clock, this.#clock())
  }

  /**
   * A unit of work for reading now, which is never committed.
   * @param generation absent: the current one
   */
  async reader(clinic: string, generation?: Generation): Promise<UnitOfWork> {
    const { number, clock } = generation ?? (await this.generation(clinic))
    const writtenAt = this.#clock()
    const scope = { clinic, generation: number, now: timeOf(clock, writtenAt), writtenAt }
    return new UnitOfWork(this.#store, scope, this.#unitOptions)
  }

  /**
   * Runs `work` and writes the changes that it staged, all or none. When another change came between, `work` is
   * repeated on the new state, so its only effects must be those staged in its unit.
   * @param options.isRepeatable see UnitOfWork.commit
   * @param options.generation absent: the current one
   * @throws FhirError 409 when it keeps conflicting, 503 when a guard uses parameters that are still being indexed,
   * ResourceTooLarge, StoreUnavailable
   */
  async change<T>(
    clinic: string,
    work: (unit: UnitOfWork) => Promise<T>,
    { isRepeatable = false, generation }: ChangeOptions = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const unit = await this.reader(clinic, generation)
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
    const stored = await this.#store.readRecord(await this.#placeOf(kind, clinic), kind.name, key)
    return this.#encryption.decrypt(stored) as KindRecord<V> | undefined
  }

  /** For records that are read with every request: see ResourceStore. */
  readRecent<V>(clinic: string, kind: RecordKind<V>, key: string): Recent<KindRecord<V>> {
    const decrypted = (stored: StoredRecord | undefined) =>
      this.#encryption.decrypt(stored) as KindRecord<V> | undefined
    const read = (place: string) => {
      const stored = this.#store.readRecent(place, kind.name, key)
      return stored instanceof Promise ? stored.then(decrypted) : decrypted(stored)
    }
    const place = this.#placeOf(kind, clinic)
    return place instanceof Promise ? place.then(read) : read(place)
  }

  /** Records of one clinic by key. */
  async records<V>(kind: RecordKind<V>, { clinic, ...page }: KindQuery): Promise<readonly KindRecord<V>[]> {
    const stored = await this.#store.records({ kind: kind.name, clinic: await this.#placeOf(kind, clinic), ...page })
    return stored.map((record) => this.#encryption.decrypt(record)) as readonly KindRecord<V>[]
  }

  /** Records of one clinic by key, page by page, to the last one or until the caller stops. */
  async *recordPages<V>(
    kind: RecordKind<V>,
    query: Omit<KindQuery, 'limit'>,
    limit = RECORDS_OF_PAGE,
  ): AsyncGenerator<readonly KindRecord<V>[]> {
    for (let next = query; ; ) {
      const page = await this.records(kind, { ...next, limit })
      yield page
      const last = page.at(-1)
      if (last === undefined || page.length < limit) return
      next = { ...query, after: last.key }
    }
  }

  /**
   * Records that are due (dueTimeOf), of the current generation of their clinic: of every clinic, unless one is given, in
   * which case the longest overdue come first. At most `limit`, and as many more of each clinic that has a clock of its own.
   */
  async dueRecords<V>(
    kind: RecordKind<V>,
    { clinic, limit }: { readonly clinic?: string; readonly limit: number },
  ): Promise<readonly KindRecord<V>[]> {
    if (clinic !== undefined) return await this.#dueOf(kind, clinic, limit)
    const moved = await this.records(MOVED_CLOCK, { clinic: SERVICE, limit: MOST_CLOCKS })
    const apart = new Set(moved.map(({ key }) => key))
    const due = await this.#dueByMachine(kind, apart, limit)
    for (const one of apart) due.push(...(await this.#dueOf(kind, one, limit)))
    return due
  }

  /** Due records of the clinics that have no clock of their own. */
  async #dueByMachine<V>(kind: RecordKind<V>, apart: ReadonlySet<string>, limit: number): Promise<KindRecord<V>[]> {
    for (let most = limit; ; most *= 4) {
      const stored = await this.#store.records({ kind: kind.name, dueBefore: this.#clock(), limit: most })
      const due: KindRecord<V>[] = []
      for (const record of stored) {
        const clinic = clinicOfPartition(record.clinic)
        if (apart.has(clinic) || record.clinic !== (await this.#placeOf(kind, clinic))) continue
        due.push({ ...this.#encryption.decrypt(record), clinic } as KindRecord<V>)
      }
      // Records of replaced generations, which wait to be deleted, must not hide those of others.
      if (due.length > 0 || stored.length < most) return due.slice(0, limit)
    }
  }

  async #dueOf<V>(kind: RecordKind<V>, clinic: string, limit: number): Promise<readonly KindRecord<V>[]> {
    const place = await this.#placeOf(kind, clinic)
    const stored = await this.#store.records({
      kind: kind.name,
      clinic: place,
      dueBefore: dueTimeOf(kind, { now: await this.now(clinic), writtenAt: this.#clock() }),
      limit,
    })
    return stored.map((record) => ({ ...this.#encryption.decrypt(record), clinic })) as readonly KindRecord<V>[]
  }

  /** The name under which the store keeps the records of a kind, of the clinic's current generation. */
  #placeOf(kind: RecordKind<unknown>, clinic: string): string | Promise<string> {
    if (kind.of !== 'generation') return placeOf(kind, { clinic, partition: clinic })
    const generation = this.generation(clinic)
    return generation instanceof Promise
      ? generation.then(({ number }) => partitionOf(clinic, number))
      : partitionOf(clinic, generation.number)
  }

  /**
   * Encrypts a record that is stored in clear, or with an earlier key; does nothing where there is no key.
   * @returns whether it was encrypted
   * @throws Error when it cannot be decrypted
   */
  async encryptRecord(clinic: string, kind: RecordKind<unknown>, key: string): Promise<boolean> {
    const stored = await this.#store.readRecord(await this.#placeOf(kind, clinic), kind.name, key)
    this.#encryption.decrypt(stored)
    if (stored === undefined || this.#encryption.isCurrent(stored)) return false
    await this.change(clinic, async (unit) => {
      const current = await unit.records.read(kind, key)
      if (current !== undefined) unit.records.put(kind, key, current.value, { due: current.due })
    })
    return true
  }

  /** Reindexes one batch of resources: see ResourceStore. */
  async reindex(batch: Reindexing): Promise<ReindexedBatch> {
    return await this.#store.reindex({ ...batch, clinic: await this.partition(batch.clinic) })
  }

  /** The name under which the store keeps the data of the clinic's current generation. */
  async partition(clinic: string): Promise<string> {
    return partitionOf(clinic, (await this.generation(clinic)).number)
  }

  /** All clinics that have a resource or a record; SERVICE first, where the service has records. */
  async clinics(): Promise<readonly string[]> {
    return (await this.#store.clinics()).filter(isClinicName)
  }

  /** The whole store at one moment, to copy a generation from. */
  snapshot(): Promise<StoreSnapshot> {
    return this.#store.snapshot()
  }

  /**
   * Deletes some of the resources and records of a generation that nobody uses, with all that is kept about them.
   * @returns true when none is left
   */
  drop(clinic: string, generation: number, limit: number): Promise<boolean> {
    // Generation 0 shares its name in the store with the clinic's own records.
    const kinds = generation === 0 ? { kinds: generationKinds } : {}
    return this.#store.drop(partitionOf(clinic, generation), { limit, ...kinds })
  }

  /** Deletes some of what the clinic itself has, besides its generations: settings, snapshots, generation 0. */
  dropClinic(clinic: string, limit: number): Promise<boolean> {
    return this.#store.drop(clinic, { limit })
  }

  isEmpty(): Promise<boolean> {
    return this.#store.isEmpty()
  }
}

const generationIn = (record: StoredRecord | undefined): Generation =>
  (record?.value as Generation | undefined) ?? FIRST_GENERATION

/** @param machine the time of the machine; milliseconds since 1970 UTC, as the result */
function timeOf(clock: ClinicClock | undefined, machine: number): number {
  if (clock === undefined) return machine
  return 'at' in clock ? clock.at : machine + clock.ahead
}

/**
 * The store as requests call it: the budget of each counts how long it waits. `readRecent` is left out: what it reads is
 * nearly always in memory.
 */
const countedStore = (store: ResourceStore): ResourceStore => ({
  ...store,
  read: (...query) => counted(() => store.read(...query)),
  readVersion: (...query) => counted(() => store.readVersion(...query)),
  write: (changes) => counted(() => store.write(changes)),
  search: (...query) => counted(() => store.search(...query)),
  history: (query) => counted(() => store.history(query)),
  findByKeys: (query) => counted(() => store.findByKeys(query)),
  values: (query) => counted(() => store.values(query)),
  readRecord: (...query) => counted(() => store.readRecord(...query)),
  records: (query) => counted(() => store.records(query)),
})

function counted<T>(call: () => Promise<T>): Promise<T> {
  const budget = currentBudget()
  return budget === undefined ? call() : countedIn(budget, call)
}

async function countedIn<T>(budget: Budget, call: () => Promise<T>): Promise<T> {
  budget.storeIsCalled()
  try {
    return await call()
  } finally {
    budget.storeHasResponded()
  }
}
