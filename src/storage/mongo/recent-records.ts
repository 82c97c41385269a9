/**
 * A cache of records that are read with every request and seldom change. Own writes remove them at once; writes of
 * other processes do when the change stream reports them, and after RECENT milliseconds in any case, as the stream may
 * be late. While there is no stream, nothing is cached.
 */
import { RECENT, type RecordChange, type StoredRecord } from '../port.ts'
import { RecentCache } from '../recent.ts'
import type { Engine } from './engine.ts'
import type { PointReads } from './point-reads.ts'
import { type RecordListener, RecordWatch } from './record-watch.ts'

export class RecentRecords implements RecordListener {
  readonly #reads: PointReads
  readonly #cache: RecentCache
  readonly #watch: RecordWatch | undefined
  /** What was read while it increased may be older than the change. */
  #changes = 0
  #isWatching = false

  constructor(engine: Engine, reads: PointReads, kinds: readonly string[]) {
    this.#reads = reads
    this.#cache = new RecentCache(kinds, RECENT)
    this.#watch = kinds.length === 0 ? undefined : new RecordWatch(engine, kinds, this)
  }

  /** @throws StoreUnavailable when the read has waited longer than TIME_LIMIT */
  async read(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined> {
    const address = { clinic, kind, key }
    if (!this.#isWatching || !this.#cache.covers(address)) return await this.#reads.record(clinic, kind, key)
    const cached = this.#cache.get(address)
    if (cached !== undefined) return cached.record
    const changes = this.#changes
    const record = await this.#reads.record(clinic, kind, key)
    if (this.#changes === changes) this.#cache.set(address, record, Date.now())
    return record
  }

  /** Also to be called when the write failed, as it may have been carried out. */
  wrote(records: readonly RecordChange[]): void {
    for (const record of records) if (this.#cache.covers(record)) this.changed(record)
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
    this.#cache.delete(record)
  }

  stopped(): void {
    this.#clear()
    this.#isWatching = false
  }

  async close(): Promise<void> {
    await this.#watch?.close()
  }

  #clear(): void {
    this.#changes += 1
    this.#cache.clear()
  }
}
