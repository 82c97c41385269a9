/**
 * What was read, or made of what was read, kept as long as it stays the same: names of practitioners and places, times
 * that are free, and searches, which are asked for again and again. Nothing that is written is decided by it. An engine that
 * notices what all processes write (ResourceStore.noticeChanges) ends it with the change; beside any other, what this thread
 * writes ends it at once, and what others write shows after LIFETIME.
 */
import { hash } from 'node:crypto'
import type { NoticedChanges, ResourceStore } from '../storage/port.ts'

/** Milliseconds. */
const LIFETIME = 1_000

interface Kept {
  readonly value: Promise<unknown>
  /** NoticedChanges.last as it was before the value was made. */
  readonly last: number
  /** Milliseconds since 1970 UTC. */
  readonly until: number
  /** Of the value, once it is there. */
  characters: number
}

/** What is to be read or made. */
export interface Wanted<Value> {
  readonly clinic: string
  /** An address, `Type/id`, or any other name. */
  readonly name: string
  /** Types of the resources that it is made of; none: it is made of something else, whose changes nobody notices. */
  readonly types: readonly string[]
  readonly make: () => Promise<Value>
  /** False: it is not the same any more, though nothing was written. Absent: it always is. */
  readonly holds?: ((value: Value) => boolean) | undefined
  /** How large it is, where that differs much. */
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

  /** Several callers share what is made: it is not to be changed. */
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
        // The budget of the other request, or its client, has ended; this one reads for itself.
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

/** Of values that say how large they are: of all together, and of the largest one that is kept. */
const MOST_CHARACTERS = 32_000_000
const MOST_CHARACTERS_OF_ONE = 300_000

/** Characters of a name that is a key as it is. */
const LONGEST_NAME = 200

const keyOf = (clinic: string, name: string): string =>
  `${clinic} ${name.length > LONGEST_NAME ? hash('sha256', name) : name}`

/** The changes of this thread alone, beside an engine that does not notice those of others. */
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
/** They say how large they are. */
const MOST_TOLD = 2_000

class OfStore {
  readonly resources: RecentReads
  readonly views: RecentReads
  /** Views of a few ids or numbers. */
  readonly answers: RecentReads
  /** What nobody may see as it was a moment ago: undefined where the engine does not notice who changes it. */
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

  /** What has changed until now. */
  changes(): NoticedChanges {
    return this.#store.noticeChanges?.() ?? this.#own
  }

  /** To be called between a change and its acknowledgement. */
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
