/**
 * A cache of records of a few kinds, which are read with every request and seldom change: for some requests, reading
 * them takes as long as everything else. Writes of this process show at once, in all its threads, which share a
 * counter; writes of other processes show after a moment.
 */
import { LRUCache } from 'lru-cache'
import { RECENT, type Recent, type RecordChange, type StoredRecord } from './port.ts'

export interface RecordAddress {
  readonly clinic: string
  readonly kind: string
  readonly key: string
}

interface Cached {
  /** undefined: there is no such record. */
  readonly record: StoredRecord | undefined
  /** Milliseconds since 1970 UTC. */
  readonly until: number
}

/** Milliseconds for which a record is cached: the rest is for reading it. */
const LIFETIME = RECENT / 2
const MAX_CACHED = 1_000

export class RecentRecords {
  readonly #read: (address: RecordAddress) => Recent<StoredRecord>
  readonly #kinds: ReadonlySet<string>
  /** Raised with each change, by any thread. */
  readonly #changes: Int32Array
  /** The value of `#changes` for which the cached records are valid. */
  #seen: number
  readonly #cached = new LRUCache<string, Cached>({ max: MAX_CACHED })

  /**
   * @param kinds the cached ones; others are read each time
   * @param changes one number, in memory that the threads share
   */
  constructor(
    read: (address: RecordAddress) => Recent<StoredRecord>,
    kinds: readonly string[],
    changes: Int32Array = new Int32Array(1),
  ) {
    this.#read = read
    this.#kinds = new Set(kinds)
    this.#changes = changes
    this.#seen = Atomics.load(changes, 0)
  }

  read(address: RecordAddress): Recent<StoredRecord> {
    if (!this.#kinds.has(address.kind)) return this.#read(address)
    // A record that is read while the count rises may be older than the change.
    const changes = this.#forgetOld()
    const cached = this.#cached.get(keyOf(address))
    const readAt = Date.now()
    if (cached !== undefined && readAt < cached.until) return cached.record
    const keep = (record: StoredRecord | undefined): StoredRecord | undefined => {
      if (changes === this.#forgetOld()) {
        this.#cached.set(keyOf(address), { record: deepFrozen(record), until: readAt + LIFETIME })
      }
      return record
    }
    const record = this.#read(address)
    return record instanceof Promise ? record.then(keep) : keep(record)
  }

  /** Empties the cache if it may hold one of `records`. Called between a change and its acknowledgement. */
  wrote(records: readonly RecordChange[]): void {
    if (records.some(({ kind }) => this.#kinds.has(kind))) this.forget()
  }

  forget(): void {
    Atomics.add(this.#changes, 0, 1)
  }

  /** @returns the number of changes so far */
  #forgetOld(): number {
    const changes = Atomics.load(this.#changes, 0)
    if (changes !== this.#seen) this.#cached.clear()
    this.#seen = changes
    return changes
  }
}

/** Kinds and clinics contain no line breaks, so the key is unambiguous. */
const keyOf = ({ clinic, kind, key }: RecordAddress): string => `${kind}\n${clinic}\n${key}`

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
