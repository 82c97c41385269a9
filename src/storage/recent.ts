/**
 * A cache of records of a few kinds, which are read with every request and seldom change. Each engine has one. The
 * caches of the threads of a process share a counter, through which a change by one thread shows in all at once.
 */
import { LRUCache } from 'lru-cache'
import type { StoredRecord } from './port.ts'

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

const MAX_CACHED = 10_000

export class RecentCache {
  readonly #kinds: ReadonlySet<string>
  readonly #lifetime: number
  /** Raised by `changed` in any thread. */
  readonly #changes: Int32Array
  /** The value of `changes` for which the cached records are valid. */
  #seen: number
  readonly #cached = new LRUCache<string, Cached>({ max: MAX_CACHED })

  /**
   * @param lifetime of a cached record, milliseconds
   * @param changes one number, in memory that the threads share
   */
  constructor(kinds: readonly string[], lifetime: number, changes: Int32Array = new Int32Array(1)) {
    this.#kinds = new Set(kinds)
    this.#lifetime = lifetime
    this.#changes = changes
    this.#seen = Atomics.load(changes, 0)
  }

  /** The number of changes; callers note it before they read a record that they will cache. */
  get changes(): number {
    return Atomics.load(this.#changes, 0)
  }

  /** Drops everything read before. Called between a change and its acknowledgement. */
  changed(): void {
    Atomics.add(this.#changes, 0, 1)
  }

  /** True for records of the cached kinds. */
  covers({ kind }: Pick<RecordAddress, 'kind'>): boolean {
    return this.#kinds.has(kind)
  }

  /** undefined: not cached; `record` is undefined where the record is known not to exist. */
  get(address: RecordAddress): Pick<Cached, 'record'> | undefined {
    this.#forgetOld()
    const cached = this.#cached.get(keyOf(address))
    return cached !== undefined && Date.now() < cached.until ? cached : undefined
  }

  /**
   * Caches a record, frozen, as several callers share it.
   * @param readAt when the record was read, milliseconds since 1970 UTC
   * @param changes the value of `changes` before it was read
   */
  set(address: RecordAddress, record: StoredRecord | undefined, readAt: number, changes = this.changes): void {
    this.#forgetOld()
    if (changes !== this.#seen) return
    this.#cached.set(keyOf(address), { record: deepFrozen(record), until: readAt + this.#lifetime })
  }

  delete(address: RecordAddress): void {
    this.#cached.delete(keyOf(address))
  }

  clear(): void {
    this.#cached.clear()
  }

  #forgetOld(): void {
    const { changes } = this
    if (changes === this.#seen) return
    this.#seen = changes
    this.#cached.clear()
  }
}

/** Kinds and clinics contain no line breaks, so the key is unambiguous. */
const keyOf = ({ clinic, kind, key }: RecordAddress): string => `${kind}\n${clinic}\n${key}`

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
