/**
 * Caches reads, and values derived from them, for as long as they stay the same: names of practitioners and places,
 * free times, and searches, which are requested repeatedly. No write is decided by them. With an engine that notices
 * the writes of all processes (ResourceStore.noticeChanges), a change ends the cached value; with any other, a write by
 * this thread ends it at once, and writes by others show after LIFETIME.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '../fhir/memoize.ts'
import type { NoticedChanges, ResourceStore } from '../storage/port.ts'

/** Milliseconds. */
const LIFETIME = 1_000

interface Kept {
  readonly value: Promise<unknown>
  /** NoticedChanges.last as it was before the value was made. */
  readonly last: number
  /** Milliseconds since 1970 UTC. */
  readonly until: number
  /** Size of the value, once it is known. */
  characters: number
}

/** A value to be read, or made where it is not cached. */
export interface Wanted<Value> {
  readonly clinic: string
  /** An address, `Type/id`, or any other name. */
  readonly name: string
  /** Types of the resources that it is made of; none: it is made of other things, whose changes are not noticed. */
  readonly types: readonly string[]
  readonly make: () => Promise<Value>
  /** False: the value is outdated although nothing was written. Absent: it is always valid. */
  readonly holds?: ((value: Value) => boolean) | undefined
  /** The size of the value, where sizes differ much. */
  readonly charactersOf?: ((value: Value) => number) | undefined
}

class RecentReads {
  /** When there are more, all are dropped. */
  readonly #most: number
  readonly #lifetime: number
  readonly #kept = new Map<string, Kept>()
  #characters = 0

  constructor(most: number, lifetime: number) {
    this.#most = most
    this.#lifetime = lifetime
  }

  /** Returns a value that several callers share: it must not be changed. */
  async read<Value>(changes: NoticedChanges, wanted: Wanted<Value>): Promise<Value> {
    const { clinic, name, types, make, holds, charactersOf } = wanted
    const key = keyOf(clinic, name)
    const last = changes.last(clinic, types)
    const known = this.#kept.get(key)
    if (known?.last === last && Date.now() < known.until) {
      try {
        const value = (await known.value) as Value
        if (holds === undefined || holds(value)) return value
      } catch {
        // The other request has used up its budget, or its client has left; this one reads for itself.
        return await make()
      }
    }
    const lifetime = types.length === 0 ? LIFETIME : this.#lifetime
    const made = make()
    const kept: Kept = { value: made, last, until: Date.now() + lifetime, characters: 0 }
    if (this.#kept.size >= this.#most) this.#forgetAll()
    this.#drop(key)
    this.#kept.set(key, kept)
    try {
      const value = await made
      if (charactersOf !== undefined && this.#kept.get(key) === kept) this.#weigh(kept, key, charactersOf(value))
      return value
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#drop(key)
      throw error
    }
  }

  forget(clinic: string, name: string): void {
    this.#drop(keyOf(clinic, name))
  }

  #weigh(kept: Kept, key: string, characters: number): void {
    if (characters > MOST_CHARACTERS_OF_ONE) {
      this.#drop(key)
      return
    }
    if (this.#characters + characters > MOST_CHARACTERS) {
      this.#forgetAll()
      this.#kept.set(key, kept)
    }
    kept.characters = characters
    this.#characters += characters
  }

  #drop(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0
    this.#kept.delete(key)
  }

  #forgetAll(): void {
    this.#kept.clear()
    this.#characters = 0
  }
}

/** Most characters of all values whose size is known together, and of the largest one that is kept. */
const MOST_CHARACTERS = 32_000_000
const MOST_CHARACTERS_OF_ONE = 300_000

/** Longer names are hashed in keys; characters. */
const LONGEST_NAME = 200

const keyOf = (clinic: string, name: string): string =>
  `${clinic} ${name.length > LONGEST_NAME ? hash('sha256', name) : name}`

/** The changes by this thread alone, for an engine that does not notice those by others. */
class OwnChanges implements NoticedChanges {
  readonly #last = new Map<string, number>()
  #changes = 0

  last(clinic: string, types: readonly string[]): number {
    return Math.max(0, ...types.map((type) => this.#last.get(keyOf(clinic, type)) ?? 0))
  }

  wrote(clinic: string, types: Iterable<string>): void {
    this.#changes += 1
    for (const type of types) this.#last.set(keyOf(clinic, type), this.#changes)
  }
}

const MOST_RESOURCES = 2_000
/** Each may be made of a thousand resources. */
const MOST_VIEWS = 200
const MOST_ANSWERS = 4_000
/** Most responses; their total size is limited too (MOST_CHARACTERS). */
const MOST_TOLD = 2_000

class OfStore {
  readonly resources: RecentReads
  readonly views: RecentReads
  /** Views that consist of a few ids or numbers. */
  readonly answers: RecentReads
  /** Responses that must be current: undefined where the engine does not notice all changes. */
  readonly told: RecentReads | undefined
  readonly #store: ResourceStore
  readonly #own = new OwnChanges()

  constructor(store: ResourceStore) {
    const isNoticed = store.noticeChanges !== undefined
    const lifetime = isNoticed ? Number.POSITIVE_INFINITY : LIFETIME
    this.#store = store
    this.resources = new RecentReads(MOST_RESOURCES, lifetime)
    this.views = new RecentReads(MOST_VIEWS, lifetime)
    this.answers = new RecentReads(MOST_ANSWERS, lifetime)
    this.told = isNoticed ? new RecentReads(MOST_TOLD, lifetime) : undefined
  }

  /** The changes noticed so far. */
  changes(): NoticedChanges {
    return this.#store.noticeChanges?.() ?? this.#own
  }

  /** Called between a change and its acknowledgement. */
  wrote(clinic: string, types: Iterable<string>): void {
    if (this.#store.noticeChanges === undefined) this.#own.wrote(clinic, types)
  }
}

const ofStores = new WeakMap<ResourceStore, OfStore>()

export function recentReads(store: ResourceStore): OfStore {
  const known = ofStores.get(store) ?? new OfStore(store)
  ofStores.set(store, known)
  return known
}

/** Milliseconds. */
const COUNT_LIFETIME = 5 * 60_000
const MAX_COUNTS = 10_000
/** Below so many resources, as in a clinic's first days, counts are kept for a short time only. */
const FEW = 1_000

interface Count {
  readonly value: number
  readonly until: number
  /** True while it is being counted again. */
  isRenewed: boolean
}

/** Numbers of matching resources, a few minutes old at most: for estimates of how frequent something is. */
export class RecentCounts {
  readonly #counts = new LRUCache<string, Count>(upTo(MAX_COUNTS))

  /**
   * @param count counts now
   * @param whole the count of the whole of which this is a part, as last known; absent: this is the whole
   */
  async read(key: string, count: () => Promise<number>, whole?: number): Promise<number> {
    const now = Date.now()
    const known = this.#counts.get(key)
    if (known === undefined) return await this.#renew(key, count, whole)
    if (known.until > now) return known.value
    if (known.value < FEW) return await this.#renew(key, count, whole)
    // Counting many takes long, and the result changes little.
    if (!known.isRenewed) {
      known.isRenewed = true
      this.#renew(key, count, whole).catch(() => {
        known.isRenewed = false
      })
    }
    return known.value
  }

  async #renew(key: string, count: () => Promise<number>, whole: number | undefined): Promise<number> {
    const value = await count()
    // Small counts soon change, such as those of a new clinic's first patients.
    const lifetime = (whole ?? value) < FEW ? COUNT_LIFETIME / 100 : COUNT_LIFETIME
    this.#counts.set(key, { value, until: Date.now() + lifetime, isRenewed: false })
    return value
  }
}
