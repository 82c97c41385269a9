/**
 * A memory of records that are read with every request and seldom change. What this process writes, it forgets at once;
 * what others write, when the change stream tells, and after RECENT milliseconds in any case: a stream may be late. While
 * there is no stream, nothing is remembered.
 */
import { deepFrozen } from '../frozen.ts'
import { RECENT, type RecordChange, type StoredRecord } from '../port.ts'
import type { Engine } from './engine.ts'
import type { PointReads } from './point-reads.ts'
import { type RecordListener, RecordWatch } from './record-watch.ts'

/** Beyond that, the memory starts anew. */
const MOST_REMEMBERED = 1_000

interface Remembered {
  /** undefined: there is none. */
  readonly record: StoredRecord | undefined
  /** Milliseconds since 1970 UTC. */
  readonly until: number
}

export class RecentRecords implements RecordListener {
  readonly #reads: PointReads
  readonly #kinds: ReadonlySet<string>
  readonly #watch: RecordWatch | undefined
  readonly #remembered = new Map<string, Remembered>()
  /** A read during which it grows may have come before the change. */
  #changes = 0
  #isTold = false

  constructor(engine: Engine, reads: PointReads, kinds: readonly string[]) {
    this.#reads = reads
    this.#kinds = new Set(kinds)
    this.#watch = kinds.length === 0 ? undefined : new RecordWatch(engine, kinds, this)
  }

  async read(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined> {
    if (!this.#isTold || !this.#kinds.has(kind)) return await this.#reads.record(clinic, kind, key)
    const address = addressOf({ clinic, kind, key })
    const known = this.#remembered.get(address)
    if (known !== undefined && Date.now() < known.until) return known.record
    const changes = this.#changes
    const record = deepFrozen(await this.#reads.record(clinic, kind, key))
    if (this.#changes === changes) this.#remember(address, { record, until: Date.now() + RECENT })
    return record
  }

  /** Whether or not they were written: what is not known is not remembered. */
  wrote(records: readonly RecordChange[]): void {
    for (const record of records) if (this.#kinds.has(record.kind)) this.changed(record)
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
    this.#remembered.delete(addressOf(record))
  }

  ends(): void {
    this.#forget()
    this.#isTold = false
  }

  async close(): Promise<void> {
    await this.#watch?.close()
  }

  #remember(address: string, remembered: Remembered): void {
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(address, remembered)
  }

  #forget(): void {
    this.#changes += 1
    this.#remembered.clear()
  }
}

const addressOf = ({ clinic, kind, key }: Pick<RecordChange, 'clinic' | 'kind' | 'key'>): string =>
  JSON.stringify([clinic, kind, key])
