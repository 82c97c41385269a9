/**
 * A cache of records that are read with every request and seldom change. Own writes remove them at once; writes of
 * other processes do when the change stream reports them, and after RECENT milliseconds in any case, as the stream may
 * be late. While there is no stream, nothing is cached.
 */
import { deepFrozen } from '../frozen.ts'
import { RECENT, type RecordChange, type StoredRecord } from '../port.ts'
import type { Engine } from './engine.ts'
import type { PointReads } from './point-reads.ts'
import { type RecordListener, RecordWatch } from './record-watch.ts'
import { recordKey } from './records.ts'

/** When there are more, the cache is emptied. */
const MAX_CACHED = 1_000

interface Cached {
  /** undefined: there is none. */
  readonly record: StoredRecord | undefined
  /** Milliseconds since 1970 UTC. */
  readonly until: number
}

export class RecentRecords implements RecordListener {
  readonly #reads: PointReads
  readonly #kinds: ReadonlySet<string>
  readonly #watch: RecordWatch | undefined
  readonly #cached = new Map<string, Cached>()
  /** What was read while it increased may be older than the change. */
  #changes = 0
  #isWatching = false

  constructor(engine: Engine, reads: PointReads, kinds: readonly string[]) {
    this.#reads = reads
    this.#kinds = new Set(kinds)
    this.#watch = kinds.length === 0 ? undefined : new RecordWatch(engine, kinds, this)
  }

  /** @throws StoreUnavailable when the read has waited longer than TIME_LIMIT */
  async read(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined> {
    if (!this.#isWatching || !this.#kinds.has(kind)) return await this.#reads.record(clinic, kind, key)
    const cacheKey = recordKey({ clinic, kind, key })
    const cached = this.#cached.get(cacheKey)
    if (cached !== undefined && Date.now() < cached.until) return cached.record
    const changes = this.#changes
    const record = deepFrozen(await this.#reads.record(clinic, kind, key))
    if (this.#changes === changes) this.#add(cacheKey, { record, until: Date.now() + RECENT })
    return record
  }

  /** Also to be called when the write failed, as it may have been carried out. */
  wrote(records: readonly RecordChange[]): void {
    for (const record of records) if (this.#kinds.has(record.kind)) this.changed(record)
  }

  started(): void {
    this.#clear()
    this.#isWatching = true
  }

  changed(record: Parameters<RecordListener['changed']>[0]): void {
    if (record === undefined) {
      this.#clear()
      return
    }
    this.#changes += 1
    this.#cached.delete(recordKey(record))
  }

  stopped(): void {
    this.#clear()
    this.#isWatching = false
  }

  async close(): Promise<void> {
    await this.#watch?.close()
  }

  #add(cacheKey: string, cached: Cached): void {
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear()
    this.#cached.set(cacheKey, cached)
  }

  #clear(): void {
    this.#changes += 1
    this.#cached.clear()
  }
}
