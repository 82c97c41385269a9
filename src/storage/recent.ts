/** A memory of records of a few kinds, which are read with every request and seldom change: each engine keeps one. */
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
const MAX_CACHED = 1_000

export class RecentCache {
  readonly #kinds: ReadonlySet<string>
  readonly #lifetime: number
  readonly #cached = new Map<string, Cached>()

  /** @param lifetime of what is cached, milliseconds */
  constructor(kinds: readonly string[], lifetime: number) {
    this.#kinds = new Set(kinds)
    this.#lifetime = lifetime
  }

  /** True for records of the kinds that are cached. */
  covers({ kind }: Pick<RecordAddress, 'kind'>): boolean {
    return this.#kinds.has(kind)
  }

  /** undefined: it is not cached; `record` is undefined where it is known that there is none. */
  get(address: RecordAddress): Pick<Cached, 'record'> | undefined {
    const cached = this.#cached.get(keyOf(address))
    return cached !== undefined && Date.now() < cached.until ? cached : undefined
  }

  /**
   * Frozen, as several callers share it.
   * @param readAt when the record was read, milliseconds since 1970 UTC
   */
  set(address: RecordAddress, record: StoredRecord | undefined, readAt: number): void {
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear()
    this.#cached.set(keyOf(address), { record: deepFrozen(record), until: readAt + this.#lifetime })
  }

  delete(address: RecordAddress): void {
    this.#cached.delete(keyOf(address))
  }

  clear(): void {
    this.#cached.clear()
  }
}

const keyOf = ({ clinic, kind, key }: RecordAddress): string => JSON.stringify([clinic, kind, key])

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
