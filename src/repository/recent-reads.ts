/**
 * What was read, or made of what was read, a moment ago at most: the names of practitioners and places, which calls ask for
 * again and again. Nothing that is written is decided by it. What this thread writes shows at once.
 */
import type { ResourceStore } from '../storage/port.ts'

/** Milliseconds. */
const LIFETIME = 1_000

interface Kept {
  readonly value: Promise<unknown>
  /** Milliseconds since 1970 UTC. */
  readonly until: number
}

class RecentReads {
  /** When there are more, all are dropped. */
  readonly #most: number
  readonly #kept = new Map<string, Kept>()
  /** The keys of what is made of resources of a type. */
  readonly #ofType = new Map<string, Set<string>>()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Several callers share what is read: it is not to be changed.
   * @param what an address, `Type/id`, whose write ends what is kept; or any other name
   * @param types a write of one of them ends it too
   */
  async read<Value>(
    clinic: string,
    what: string,
    types: readonly string[],
    read: () => Promise<Value>,
  ): Promise<Value> {
    const key = keyOf(clinic, what)
    const known = this.#kept.get(key)
    if (known !== undefined && Date.now() < known.until) {
      try {
        return (await known.value) as Value
      } catch {
        // The budget of the other request, or its client, has ended; this one reads for itself.
        return await read()
      }
    }
    const kept: Kept = { value: read(), until: Date.now() + LIFETIME }
    this.#keep(key, kept)
    for (const type of types) this.#keysOf(clinic, type).add(key)
    try {
      return (await kept.value) as Value
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
      throw error
    }
  }

  /** To be called between a change and its acknowledgement. @param addresses `Type/id` */
  wrote(clinic: string, addresses: Iterable<string>): void {
    if (this.#kept.size === 0) return
    for (const address of addresses) {
      this.#kept.delete(keyOf(clinic, address))
      const type = keyOf(clinic, address.slice(0, address.indexOf('/')))
      for (const key of this.#ofType.get(type) ?? []) this.#kept.delete(key)
      this.#ofType.delete(type)
    }
  }

  forget(clinic: string, what: string): void {
    this.#kept.delete(keyOf(clinic, what))
  }

  #keep(key: string, kept: Kept): void {
    if (this.#kept.size >= this.#most) {
      this.#kept.clear()
      this.#ofType.clear()
    }
    this.#kept.set(key, kept)
  }

  #keysOf(clinic: string, type: string): Set<string> {
    const key = keyOf(clinic, type)
    const known = this.#ofType.get(key) ?? new Set()
    this.#ofType.set(key, known)
    return known
  }
}

const keyOf = (clinic: string, what: string): string => `${clinic} ${what}`

interface OfStore {
  readonly resources: RecentReads
  readonly views: RecentReads
  /** Views of a few ids or numbers. */
  readonly answers: RecentReads
}

const MOST_RESOURCES = 2_000
/** Each may be made of a thousand resources. */
const MOST_VIEWS = 200
const MOST_ANSWERS = 4_000

const ofStores = new WeakMap<ResourceStore, OfStore>()

export function recentReads(store: ResourceStore): OfStore {
  const known = ofStores.get(store) ?? {
    resources: new RecentReads(MOST_RESOURCES),
    views: new RecentReads(MOST_VIEWS),
    answers: new RecentReads(MOST_ANSWERS),
  }
  ofStores.set(store, known)
  return known
}
