/**
 * A cache of records that are read with every request and seldom change: for some requests, a read of the file takes as
 * long as everything else. Writes of this process show at once, in all its threads; writes of others, after a moment.
 */
import type { RecordChange, StoredRecord } from '../port.ts'
import { RecentCache } from '../recent.ts'
import type { Database } from './connection.ts'
import { readRecord } from './records.ts'

/** Milliseconds. */
const LIFETIME = 100

export class RecentRecords {
  readonly #db: Database
  readonly #cache: RecentCache

  /** @param changes see RecentCache */
  constructor(db: Database, kinds: readonly string[], changes: Int32Array) {
    this.#db = db
    this.#cache = new RecentCache(kinds, LIFETIME, changes)
  }

  read(clinic: string, kind: string, key: string): StoredRecord | undefined {
    const address = { clinic, kind, key }
    if (!this.#cache.covers(address)) return readRecord(this.#db, clinic, kind, key)
    const cached = this.#cache.get(address)
    if (cached !== undefined) return cached.record
    const { changes } = this.#cache
    const readAt = Date.now()
    const record = readRecord(this.#db, clinic, kind, key)
    this.#cache.set(address, record, readAt, changes)
    return record
  }

  /** Empties the cache if it may hold one of `records`. Called after the commit, before it is acknowledged. */
  wrote(records: readonly RecordChange[]): void {
    if (records.some((record) => this.#cache.covers(record))) this.forget()
  }

  forget(): void {
    this.#cache.changed()
  }
}
