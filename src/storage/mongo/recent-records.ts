/**
 * Records that are read with every request and seldom change, from memory. What this process writes shows at once; what
 * others write, when the change stream tells, and after RECENT milliseconds in any case: a stream may be late. While there
 * is no stream, nothing is cached.
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
  /** A read during which it grows may have come before the change. */
  #changes = 0
  #isTold = false

  constructor(engine: Engine, reads: PointReads, kinds: readonly string[]) {
    this.#reads = reads
    this.#cache = new RecentCache(kinds, RECENT)
    this.#watch = kinds.length === 0 ? undefined : new RecordWatch(engine, kinds, this)
  }

  async read(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined> {
    const address = { clinic, kind, key }
    if (!this.#isTold || !this.#cache.covers(address)) return await this.#reads.record(clinic, kind, key)
    const cached = this.#cache.get(address)
    if (cached !== undefined) return cached.record
    const changes = this.#changes
    const record = await this.#reads.record(clinic, kind, key)
    if (this.#changes === changes) this.#cache.set(address, record, Date.now())
    return record
  }

  /** Whether or not they were written: what is not known is not cached. */
  wrote(records: readonly RecordChange[]): void {
    for (const record of records) if (this.#cache.covers(record)) this.changed(record)
  }

  begins(): void {
    this.#forget()
    this.#isTold = true
  }

  changed(record: Parameters<RecordListener['changed']>[0]): void {
    if (record === undefined) {
      this.#forget()
      return
    }
    this.#changes += 1
    this.#cache.delete(record)
  }

  ends(): void {
    this.#forget()
    this.#isTold = false
  }

  async close(): Promise<void> {
    await this.#watch?.close()
  }

  #forget(): void {
    this.#changes += 1
    this.#cache.clear()
  }
}
