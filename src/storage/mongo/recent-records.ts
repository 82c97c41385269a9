/**
 * A cache of records that are read with every request and seldom change. Writes of this process, in any of its threads,
 * remove them at once; writes of other processes do so when the change stream reports them, and after RECENT
 * milliseconds in any case, as the stream may be late. While there is no stream, nothing is cached.
 */
import { RECENT, type RecordChange, type StoredRecord } from '../port.ts'
import { RecentCache, type RecordAddress } from '../recent.ts'
import type { Engine } from './engine.ts'
import type { PointReads } from './point-reads.ts'
import { type RecordListener, RecordWatch } from './record-watch.ts'

export class RecentRecords implements RecordListener {
  readonly #reads: PointReads
  readonly #cache: RecentCache
  readonly #watch: RecordWatch | undefined
  #isWatching = false

  /** @param counter one number, the count of changes, which the threads of a process share */
  constructor(engine: Engine, reads: PointReads, kinds: readonly string[], counter?: SharedArrayBuffer) {
    this.#reads = reads
    this.#cache = new RecentCache(kinds, RECENT, counter === undefined ? undefined : new Int32Array(counter))
    this.#watch = kinds.length === 0 ? undefined : new RecordWatch(engine, kinds, this)
  }

  /** The cached record; undefined: it must be read; `record` is undefined where the record is known not to exist. */
  cached(address: RecordAddress): { readonly record: StoredRecord | undefined } | undefined {
    return this.#isWatching ? this.#cache.get(address) : undefined
  }

  /** @throws StoreUnavailable when the read has waited longer than TIME_LIMIT */
  async read(address: RecordAddress): Promise<StoredRecord | undefined> {
    const { clinic, kind, key } = address
    if (!this.#isWatching || !this.#cache.covers(address)) return await this.#reads.record(clinic, kind, key)
    // A record that is read while the count rises may be older than the change.
    const { changes } = this.#cache
    const record = await this.#reads.record(clinic, kind, key)
    this.#cache.set(address, record, Date.now(), changes)
    return record
  }

  /**
   * Empties the cache if it may hold one of `records`. Also called when the write failed, as it may have been carried
   * out.
   */
  wrote(records: readonly RecordChange[]): void {
    if (records.some((record) => this.#cache.covers(record))) this.#cache.changed()
  }

  started(): void {
    this.#cache.changed()
    this.#isWatching = true
  }

  changed(): void {
    this.#cache.changed()
  }

  stopped(): void {
    this.#cache.changed()
    this.#isWatching = false
  }

  async close(): Promise<void> {
    await this.#watch?.close()
  }
}
