/**
 * Resources as they were a moment ago at most, each parsed once: for the names of practitioners and places, which calls ask
 * for again and again. Nothing that is written is decided by them. What this thread writes shows at once.
 */
import type { ResourceStore, StoredResource } from '../storage/port.ts'
import { Versioned } from './versioned.ts'

/** Milliseconds. */
const LIFETIME = 1_000
/** Characters of what is kept, and of one resource; when there are more, all are dropped. */
const MOST = 4_000_000
const MOST_OF_ONE = 50_000

interface Recent {
  readonly found: Versioned | undefined
  /** Milliseconds since 1970 UTC. */
  readonly until: number
}

export class RecentResources {
  readonly #kept = new Map<string, Recent>()
  #characters = 0
  /** Writes so far: what was read before one is not kept after it. */
  #writes = 0

  /** Undefined where there is none, or it is deleted. Several callers share the object: it is not to be changed. */
  async read(
    clinic: string,
    address: string,
    read: () => Promise<StoredResource | undefined>,
  ): Promise<Versioned | undefined> {
    const key = keyOf(clinic, address)
    const known = this.#kept.get(key)
    if (known !== undefined && Date.now() < known.until) return known.found
    const [writes, until] = [this.#writes, Date.now() + LIFETIME]
    const stored = await read()
    const found = stored === undefined || stored.method === 'DELETE' ? undefined : new Versioned(stored)
    if (writes === this.#writes) this.#keep(key, { found, until })
    return found
  }

  /** To be called between a change and its acknowledgement. */
  wrote(clinic: string, changed: Iterable<string>): void {
    this.#writes += 1
    if (this.#kept.size > 0) for (const address of changed) this.#kept.delete(keyOf(clinic, address))
  }

  #keep(key: string, recent: Recent): void {
    const { length } = recent.found?.text ?? key
    if (length > MOST_OF_ONE) return
    this.#characters += length
    if (this.#characters > MOST) {
      this.#kept.clear()
      this.#characters = length
    }
    this.#kept.set(key, recent)
  }
}

const keyOf = (clinic: string, address: string): string => `${clinic} ${address}`

const ofStore = new WeakMap<ResourceStore, RecentResources>()

export function recentResources(store: ResourceStore): RecentResources {
  const known = ofStore.get(store) ?? new RecentResources()
  ofStore.set(store, known)
  return known
}
