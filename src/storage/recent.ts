/**
 * A cache of records of a few kinds, which are read with every request and seldom change: each engine keeps one. Threads
 * of a process that have one each share a counter, by which the change that one of them writes shows in all at once.
 */
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

/** When there are more, all are dropped. */
const MAX_CACHED = 10_000

export class RecentCache {
  readonly #kinds: ReadonlySet<string>
  readonly #lifetime: number
  /** Raised by `changed` in whichever thread. */
  readonly #changes: Int32Array
  /** The changes that what is cached has seen. */
  #seen: number
  readonly #cached = new Map<string, Cached>()

  /**
   * @param lifetime of what is cached, milliseconds
   * @param changes one number, on memory that the threads share
   */
  constructor(kinds: readonly string[], lifetime: number, changes: Int32Array = new Int32Array(1)) {
    this.#kinds = new Set(kinds)
    this.#lifetime = lifetime
    this.#changes = changes
    this.#seen = Atomics.load(changes, 0)
  }

  /** To be noted before a record is read that is to be cached. */
  get changes(): number {
    return Atomics.load(this.#changes, 0)
  }

  /** To be called between a change and its acknowledgement: nothing that was read before is used any more. */
  changed(): void {
    Atomics.add(this.#changes, 0, 1)
  }

  /** True for records of the kinds that are cached. */
  covers({ kind }: Pick<RecordAddress, 'kind'>): boolean {
    return this.#kinds.has(kind)
  }

  /** undefined: it is not cached; `record` is undefined where it is known that there is none. */
  get(address: RecordAddress): Pick<Cached, 'record'> | undefined {
    this.#forgetOld()
    const cached = this.#cached.get(keyOf(address))
    return cached !== undefined && Date.now() < cached.until ? cached : undefined
  }

  /**
   * Frozen, as several callers share it.
   * @param readAt when the record was read, milliseconds since 1970 UTC
   * @param changes as they were before it was read
   */
  set(address: RecordAddress, record: StoredRecord | undefined, readAt: number, changes = this.changes): void {
    this.#forgetOld()
    if (changes !== this.#seen) return
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear()
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

/** Neither kinds nor clinics have lines. */
const keyOf = ({ clinic, kind, key }: RecordAddress): string => `${kind}\n${clinic}\n${key}`

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
