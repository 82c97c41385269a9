/**
 * The search index as a server knows it, with the parts that are complete. A server that wants other parts than the
 * store has claims them when it opens the store; from then on it writes them with every resource, and does not search
 * by those that older resources lack until indexing.ts has filled them.
 */

import type { CombinedIndex, SearchPlan } from '../../search/plan.ts'
import { planParameters } from '../../search/plan-parameters.ts'
import type { Extraction } from '../port.ts'
import { IndexIncomplete, StoreUnavailable } from '../store-errors.ts'
import { indexUpgrade, type OnUpgrade } from './upgrade.ts'

/** A newer server has changed the form of the store, which this server cannot read. */
export class StoreOutdated extends StoreUnavailable {}

/** The engine's storage of the index state. */
export interface IndexStorage {
  /** @throws StoreOutdated when a newer server has changed the form of the store */
  load(): Promise<IndexState>
  /** Types that have resources, with their number. */
  storedTypes(): Promise<ReadonlyMap<string, number>>
  /** Writes each state that follows the stored generation; another server may have been faster. */
  claim(types: readonly TypeIndex[], extraction: number): Promise<void>
}

interface SearchIndexOptions {
  readonly combined: readonly CombinedIndex[]
  /** Absent: resources already stored cannot be reindexed. */
  readonly extraction?: Extraction | undefined
  /** The store is neither searched nor written; its search index stays as it is. */
  readonly onlyScanned?: boolean | undefined
  /** Changed when an engine stores entries in a new way. */
  readonly form: string
  /** Called before older resources are indexed anew. */
  readonly onUpgrade?: OnUpgrade | undefined
}

/** Attempts to claim parts, as other servers may start on the same store at the same moment. */
const MAX_ATTEMPTS = 20

const NONE: ReadonlySet<string> = new Set()
const NONE_STORED: ReadonlyMap<string, number> = new Map()

export class SearchIndex {
  readonly #options: SearchIndexOptions
  /** By type. */
  readonly #parts = new Map<string, Parts>()
  #current: IndexState = { epoch: -1, extraction: 0, types: new Map() }
  /** By type, the parts that some stored resources lack. */
  #missing: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  /** The declared combined indexes that can be searched by. */
  #usable: readonly CombinedIndex[] = []
  /** Types whose wanted parts are those that this server writes; cached, since every write needs it. */
  #wanted: ReadonlySet<string> = NONE
  #outdated: StoreOutdated | undefined

  constructor(options: SearchIndexOptions) {
    this.#options = options
    this.#know(options.extraction?.types ?? [])
    this.#know(options.combined.map(({ type }) => type))
  }

  get state(): IndexState {
    return this.#current
  }

  /** Combined indexes that contain every resource of their type. */
  get combined(): readonly CombinedIndex[] {
    return this.#usable
  }

  /** Claims the parts that this server wants. */
  async open(storage: IndexStorage): Promise<void> {
    const version = this.#options.extraction?.version ?? 0
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const state = await storage.load()
      if (version > 0 && state.extraction > version)
        throw new StoreUnavailable(writtenByNewer(state.extraction, version))
      this.#know(state.types.keys())
      this.accept(state)
      if (this.#options.onlyScanned) return
      const stored = this.isOverruled ? await storage.storedTypes() : NONE_STORED
      const claims = this.#claims(stored, version)
      if (claims.length === 0 && state.extraction >= version) return
      if (attempt === 0) this.#announce(claims, stored, version)
      await storage.claim(claims, version)
    }
    throw new StoreUnavailable('Servers of different versions start on this store at the same time; start one version')
  }

  #know(types: Iterable<string>): void {
    const { combined, extraction, form } = this.#options
    for (const type of types) {
      if (!this.#parts.has(type)) this.#parts.set(type, partsOf(type, form, combined, extraction))
    }
  }

  /** Takes over the stored state: another server may have changed it. */
  accept(state: IndexState): void {
    this.#current = state
    this.#wanted = new Set(
      [...this.#parts].flatMap(([type, parts]) => {
        const wanted = state.types.get(type)?.wanted
        return wanted !== undefined && isSame(wanted, parts) ? [type] : []
      }),
    )
    this.#missing = new Map(
      [...this.#parts].flatMap(([type, parts]) => {
        const missing = missingIn(state.types.get(type)?.filled ?? {}, parts)
        return missing.length === 0 ? [] : [[type, new Set(missing)]]
      }),
    )
    this.#usable = this.#options.combined.filter((one) => !this.#lacks(one.type, partOfCombined(nameOfCombined(one))))
  }

  /** From now on every call throws `outdated`. */
  refuse(outdated: StoreOutdated): void {
    this.#outdated = outdated
  }

  /** @throws StoreOutdated once the store has been refused */
  checkVersion(): void {
    if (this.#outdated !== undefined) throw this.#outdated
  }

  /** True when another server wants other parts of a type than this one writes. */
  get isOverruled(): boolean {
    return this.#wanted.size < this.#parts.size
  }

  /** The generation that this server writes; 0 where a newer server wants other parts. */
  generationOf(type: string): number {
    return this.#isWanted(type) ? (this.#current.types.get(type)?.generation ?? 0) : 0
  }

  /** The types whose wanted parts are those that this server writes. */
  wantedTypes(): readonly TypeIndex[] {
    return [...this.#current.types.values()].filter(({ type }) => this.#parts.has(type) && this.#isWanted(type))
  }

  /** @throws IndexIncomplete when `plan` uses a part that some stored resources lack */
  check(plan: SearchPlan): void {
    if (this.#missing.size === 0) return
    const lacking = planParameters(plan).filter(({ type, param }) => this.#lacksUse(type, param))
    const uses = new Set(lacking.map(({ type, param }) => `${type}?${param}`))
    if (uses.size > 0) throw new IndexIncomplete([...uses])
  }

  #lacksUse(type: string, param: string): boolean {
    const types = type === '*' ? [...this.#missing.keys()] : [type]
    return types.some((one) => (param === '*' ? this.#lacksParameter(one) : this.#lacks(one, param)))
  }

  #lacks(type: string, part: string): boolean {
    return (this.#missing.get(type) ?? NONE).has(part)
  }

  #lacksParameter(type: string): boolean {
    const parameters = this.#options.extraction?.parametersOf(type) ?? new Map<string, string>()
    return [...parameters.keys()].some((code) => this.#lacks(type, code))
  }

  #isWanted(type: string): boolean {
    return this.#wanted.has(type)
  }

  #claims(stored: ReadonlyMap<string, number>, version: number): readonly TypeIndex[] {
    const changed = [...this.#parts].filter(([type]) => !this.#isWanted(type))
    return changed.map(([type, parts]) =>
      nextIndex(type, this.#current.types.get(type), parts, stored.has(type), version),
    )
  }

  #announce(claims: readonly TypeIndex[], stored: ReadonlyMap<string, number>, version: number): void {
    const incomplete = claims.filter((claim) => !isComplete(claim))
    const { extraction, types } = this.#current
    if (incomplete.length === 0 && (types.size === 0 || extraction === version)) return
    const resources = incomplete.map(({ type }) => [type, stored.get(type) ?? 0] as const)
    void this.#options.onUpgrade?.(indexUpgrade(Math.max(extraction, FIRST_EXTRACTION), version, new Map(resources)))
  }
}

const writtenByNewer = (found: number, own: number): string =>
  `This store was searched by a newer version of the server (search version ${found}, this server knows ${own}); ` +
  'start the newer server, or name another store'

/**
 * Versions by part: a search parameter, a combined index, or the form of all entries. A version is a text that changes when
 * resources have to be reindexed for it.
 */
export type Parts = Readonly<Record<string, string>>

/** The progress of the search index of a type, as stored. */
export interface TypeIndex {
  readonly type: string
  /** Incremented whenever other parts are wanted; an engine may store the generation of each resource with it. */
  readonly generation: number
  /** The parts that are written with every resource. */
  readonly wanted: Parts
  /** The parts that every resource of the type has; the same as `wanted` when the type is complete. */
  readonly filled: Parts
  /**
   * Time of its completion (milliseconds since 1970 UTC), where a server that wants other parts may still be writing.
   */
  readonly completed?: number
}

/** The stored state of the search index. */
export interface IndexState {
  /** Incremented with every change, so that running servers notice it. */
  readonly epoch: number
  /** The highest Extraction.version of a server that has searched this store. */
  readonly extraction: number
  readonly types: ReadonlyMap<string, TypeIndex>
}

/** Prefixes that no search parameter name can have, as it contains no colon. */
const FORM = 'form:'
const COMBINED = 'combined:'

/** `schedule status start` */
export const nameOfCombined = ({ equal, range }: CombinedIndex): string => [...equal, range].join(' ')

export const partOfCombined = (name: string): string => COMBINED + name

/** A combined index has no version of its own: a different one has a different name. */
const COMBINED_VERSION = '1'

/** Form and extraction of stores from before parts were recorded. */
const FIRST_FORM = '1'
const FIRST_EXTRACTION = 1

/** The parts of a type that a server with this `form` and these declarations writes and searches by. */
function partsOf(
  type: string,
  form: string,
  combined: readonly CombinedIndex[],
  extraction: Extraction | undefined,
): Parts {
  const declared = combined
    .filter((one) => one.type === type)
    .map((one) => [partOfCombined(nameOfCombined(one)), COMBINED_VERSION])
  return { [FORM]: form, ...Object.fromEntries(declared), ...Object.fromEntries(extraction?.parametersOf(type) ?? []) }
}

const isSame = (one: Parts, other: Parts): boolean =>
  Object.keys(one).length === Object.keys(other).length && missingIn(one, other).length === 0

/** Names of the wanted parts that `filled` lacks, or has in another version. */
const missingIn = (filled: Parts, wanted: Parts): readonly string[] =>
  Object.entries(wanted).flatMap(([part, version]) => (filled[part] === version ? [] : [part]))

export const isComplete = ({ wanted, filled }: TypeIndex): boolean => isSame(wanted, filled)

/** True where resources were written in an older form, and do not have a generation yet. */
export const isOfOldForm = ({ wanted, filled }: TypeIndex): boolean => wanted[FORM] !== filled[FORM]

/** The state of a type once other parts are wanted. */
function nextIndex(
  type: string,
  before: TypeIndex | undefined,
  wanted: Parts,
  stored: boolean,
  version: number,
): TypeIndex {
  const generation = (before?.generation ?? 0) + 1
  if (!stored) return { type, generation, wanted, filled: wanted, ...(generation > 1 ? { completed: Date.now() } : {}) }
  const filled = generation === 1 ? { ...firstParts(wanted, version), ...before?.filled } : (before?.filled ?? {})
  const kept = Object.entries(wanted).filter(([part, wish]) => filled[part] === wish)
  return { type, generation, wanted, filled: Object.fromEntries(kept) }
}

/** The parts of a store from before parts were recorded. */
function firstParts(wanted: Parts, version: number): Parts {
  const had = Object.entries(wanted).filter(([part, wish]) => {
    if (part === FORM) return wish === FIRST_FORM
    return !part.startsWith(COMBINED) && version === FIRST_EXTRACTION
  })
  return Object.fromEntries(had)
}
