/**
 * A memory of records that are read with every request and seldom change: a read of the file takes as long as all else
 * that is done for some requests. What this process writes, it forgets at once; what others write, after a moment.
 */
import { deepFrozen } from '../frozen.ts'
import type { RecordChange, StoredRecord } from '../port.ts'
import type { Database } from './connection.ts'
import { readRecord } from './records.ts'

/** Milliseconds. */
const REMEMBERED_FOR = 100
/** Beyond that, the memory starts anew. */
const MOST_REMEMBERED = 1_000

interface Remembered {
  /** undefined: there is none. */
  readonly record: StoredRecord | undefined
  /** Milliseconds since 1970 UTC. */
  readonly until: number
}

export class RecentRecords {
  private readonly db: Database
  private readonly kinds: ReadonlySet<string>
  private readonly remembered = new Map<string, Remembered>()

  constructor(db: Database, kinds: readonly string[]) {
    this.db = db
    this.kinds = new Set(kinds)
  }

  read(clinic: string, kind: string, key: string): StoredRecord | undefined {
    if (!this.kinds.has(kind)) return readRecord(this.db, clinic, kind, key)
    const address = JSON.stringify([clinic, kind, key])
    const now = Date.now()
    const known = this.remembered.get(address)
    if (known !== undefined && now < known.until) return known.record
    const record = deepFrozen(readRecord(this.db, clinic, kind, key))
    if (this.remembered.size >= MOST_REMEMBERED) this.remembered.clear()
    this.remembered.set(address, { record, until: now + REMEMBERED_FOR })
    return record
  }

  /** Before anybody is told that they are written. */
  wrote(records: readonly RecordChange[]): void {
    if (records.some(({ kind }) => this.kinds.has(kind))) this.forget()
  }

  forget(): void {
    this.remembered.clear()
  }
}
