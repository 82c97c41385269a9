/**
 * A search as data: the query string is parsed into it, and every engine compiles it. It no longer contains FHIR rules:
 * prefixes, precision and modifiers have become bounds, negations and unions.
 */

/** Inclusive bounds on an indexed range [low, high]; an absent bound does not restrict. */
export interface RangeBounds {
  readonly lowMin?: number
  readonly lowMax?: number
  readonly highMin?: number
  readonly highMax?: number
}

export type Condition =
  /** At least one holds (comma in a query string). */
  | { readonly kind: 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  /**
   * `value` is verbatim for exact, and otherwise folded (see fold); greater and less compare by code points, and an
   * empty value is never less.
   */
  | {
      readonly kind: 'string'
      readonly param: string
      readonly match: 'prefix' | 'contains' | 'suffix' | 'equal' | 'greater' | 'less' | 'exact'
      readonly value: string
    }
  /** `value` equals one of the words, or is a prefix of one; it is folded, and has no space. */
  | { readonly kind: 'words'; readonly param: string; readonly match: 'equal' | 'prefix'; readonly value: string }
  /** Without `system`: any system; `system: ''`: the token has none. Without `code`: any code of the system. */
  | { readonly kind: 'token'; readonly param: string; readonly system?: string; readonly code?: string }
  /** A token whose code begins or ends with `value`, in the form in which the parameter stores its codes. */
  | {
      readonly kind: 'token-part'
      readonly param: string
      readonly match: 'prefix' | 'suffix'
      readonly value: string
    }
  /**
   * Without `type`: any type. An absolute reference outside this server has type '' and its URL as id. With `versions`,
   * the version begins with `version`: 2.1 matches 2.1.0, but not 2.10.
   */
  | {
      readonly kind: 'reference'
      readonly param: string
      readonly type?: string
      readonly id: string
      readonly version?: string
      readonly versions?: 'below'
    }
  /** Below matches values that begin with `value`, above those that `value` begins with: see beginningsOf. */
  | {
      readonly kind: 'uri'
      readonly param: string
      readonly match: 'exact' | 'below' | 'above'
      readonly value: string
    }
  /** The resource has a value of the same parameter for which `of` does not hold. */
  | { readonly kind: 'unequal'; readonly of: Equality }
  /** Dates in milliseconds since 1970 UTC; numbers as they are. */
  | { readonly kind: 'date' | 'number'; readonly param: string; readonly bounds: RangeBounds }
  | {
      readonly kind: 'quantity'
      readonly param: string
      readonly bounds: RangeBounds
      readonly system?: string
      readonly code?: string
    }
  /** Within `distance` metres of a place, on the surface of the Earth (fhir/great-circle.ts). */
  | {
      readonly kind: 'position'
      readonly param: string
      readonly latitude: number
      readonly longitude: number
      readonly distance: number
    }
  /** Each part holds for the value in the same place of one and the same entry. */
  | { readonly kind: 'composite'; readonly param: string; readonly parts: readonly PartCondition[] }
  /** The resource has an entry for `param` (missing: false) or none (missing: true). */
  | { readonly kind: 'missing'; readonly param: string; readonly missing: boolean }
  /** The id of the resource; for a contained resource, its id within the container. */
  | { readonly kind: 'id'; readonly ids: readonly string[] }
  /**
   * The resource is of one of these types, contained or not: for searches over several types with different conditions
   * on each.
   */
  | { readonly kind: 'type'; readonly types: readonly string[] }
  /** meta.lastUpdated, milliseconds since 1970 UTC. */
  | { readonly kind: 'lastUpdated'; readonly bounds: RangeBounds }
  /**
   * `param` refers to a resource of one of `types`, or to one of them within the same resource (inner.ts), for which
   * `where` holds: `subject:Patient.name=x`. With `canonical`, it refers by the url and version of that resource
   * (canonical.ts).
   */
  | {
      readonly kind: 'chain'
      readonly param: string
      readonly types: readonly string[]
      readonly canonical?: true
      readonly where: Condition
    }
  /**
   * A resource of `type`, contained or not, for which `where` holds refers to this one by `param`:
   * `_has:Observation:patient:code=x`. With `canonical`, it refers by the url and version of this one.
   */
  | {
      readonly kind: 'has'
      readonly type: string
      readonly param: string
      readonly canonical?: true
      readonly where: Condition
    }

/** A condition that no resource fulfils. */
export const NOTHING: Condition = { kind: 'any', of: [] }

/** A condition on a part of a composite: there are no modifiers. */
export type PartCondition =
  | (Extract<Condition, { kind: 'string' }> & { readonly match: 'prefix' })
  | (Extract<Condition, { kind: 'uri' }> & { readonly match: 'exact' })
  | Extract<Condition, { kind: 'token' | 'reference' | 'date' | 'number' | 'quantity' }>

/** A condition on one entry. */
export type Equality = Extract<Condition, { kind: 'token' | 'reference' | 'uri' }>

export type SortKey =
  | { readonly by: 'id' | 'lastUpdated'; readonly descending: boolean }
  /**
   * Sorts by the lowest entry of `param` ascending, the highest descending; resources without one come last, and an
   * empty text or code counts as none. Resources with only an entry of `textOrderParam` come before these.
   */
  | {
      readonly by: 'string' | 'token' | 'uri' | 'date' | 'number' | 'quantity'
      readonly param: string
      readonly descending: boolean
    }
  | {
      /** Sorts by the id of the referenced resource. */
      readonly by: 'reference'
      readonly param: string
      readonly descending: boolean
      /** The types to which `param` refers; other references may count as none. Absent: any type. */
      readonly targets?: readonly string[]
    }

/** The parameter of entries for the order of concepts without a code (types/token.ts). */
export const textOrderParam = (param: string, descending: boolean): string =>
  `${param}:${descending ? 'text-descending' : 'text-ascending'}`

export interface Include {
  /** The type that holds the reference. */
  readonly source: string
  /** The reference search parameter, or '*' for every one of `source`. */
  readonly param: string
  /** Only targets of this type. */
  readonly target?: string
  /** Set when the canonicals of `param` are followed, to definitions of these types. */
  readonly canonical?: readonly string[]
  /**
   * false: resources to which the matches refer (_include). true: resources that refer to the matches (_revinclude).
   */
  readonly reverse: boolean
  /**
   * True to follow references of included resources too, and of contained ones, which are returned with their
   * containers.
   */
  readonly iterate: boolean
}

export interface SearchPlan {
  readonly clinic: string
  /**
   * The searched resource types; several only at system level. Contained resources have types of their own (inner.ts).
   */
  readonly types: readonly string[]
  /** All must hold. */
  readonly where: readonly Condition[]
  /**
   * The query itself, where `where` is its meaning at the moment (the codes of a value set, a date compared with now):
   * the cursors of its pages belong to the query.
   */
  readonly asked?: string
  /** Ties are broken by the engine's own stable order, so that pages neither repeat nor lose a resource. */
  readonly sort: readonly SortKey[]
  /** Page size; 0: only the total is requested. */
  readonly count: number
  /** Cursor of the previous page, from `SearchResult.next`. */
  readonly after?: string
  readonly total: 'none' | 'estimate' | 'accurate'
  /** Where there are several pages, counting of the total stops here. Absent: all are counted. */
  readonly countUpTo?: number
  readonly include: readonly Include[]
  /** Most included resources; more are cut off, and `SearchResult.truncated` is set. */
  readonly includeLimit: number
}

/** A search for resources alone, in the order of the engine: a page of them after a cursor, without total. */
export const plainPage = ({
  after,
  ...page
}: Pick<SearchPlan, 'clinic' | 'types' | 'where' | 'count'> & { readonly after: string | undefined }): SearchPlan => ({
  ...page,
  ...(after === undefined ? {} : { after }),
  ...{ sort: [], total: 'none', include: [], includeLimit: 0 },
})

/** One value found in a resource when it was written, in the form its search parameter type compares. */
export type IndexEntry =
  | { readonly kind: 'string'; readonly param: string; readonly folded: string; readonly exact: string }
  /** Folded words, or phonetic codes, each once, separated by spaces; one entry for each parameter. */
  | { readonly kind: 'words'; readonly param: string; readonly words: string }
  | { readonly kind: 'token'; readonly param: string; readonly system: string; readonly code: string }
  /** A key by which record linkage finds a resource; no search does. */
  | { readonly kind: 'key'; readonly param: string; readonly key: string }
  | {
      readonly kind: 'reference'
      readonly param: string
      readonly type: string
      readonly id: string
      readonly version?: string
    }
  | { readonly kind: 'uri'; readonly param: string; readonly value: string }
  | { readonly kind: 'date' | 'number'; readonly param: string; readonly low: number; readonly high: number }
  | {
      readonly kind: 'quantity'
      readonly param: string
      readonly low: number
      readonly high: number
      readonly system: string
      readonly code: string
    }
  | { readonly kind: 'position'; readonly param: string; readonly latitude: number; readonly longitude: number }
  /** The values of one repetition side by side: `code-value-quantity`. */
  | { readonly kind: 'composite'; readonly param: string; readonly parts: readonly PartEntry[] }
  | InnerEntry

/**
 * A resource within this one (inner.ts), found by `entries`. `param` is the reference that leads to it, which has an
 * entry of its own too.
 */
export interface InnerEntry {
  readonly kind: 'inner'
  readonly param: string
  readonly type: string
  readonly id: string
  readonly entries: readonly IndexEntry[]
}

export type PartEntry = Extract<IndexEntry, { kind: PartCondition['kind'] }>

/**
 * A combined index that a provider declares for a search its users make all day. `equal` are one or two token or
 * reference parameters compared for equality; `range` is a date parameter. Slot: schedule, status and start.
 */
export interface CombinedIndex {
  readonly type: string
  readonly equal: readonly [string] | readonly [string, string]
  readonly range: string
}

/** By resource type and parameter: other parameters all of whose values it has too (index/covered.ts). */
export type CoveredParameters = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** Bounds of open-ended periods: the first and last millisecond of a JavaScript Date. */
export const BEGINNING_OF_TIME = -8_640_000_000_000_000
export const END_OF_TIME = 8_640_000_000_000_000

/** Most characters of an address above another one; an engine searches for each beginning. */
const LONGEST_ABOVE = 200

/** Every beginning of `value` of at most LONGEST_ABOVE characters, and `value` itself. */
export const beginningsOf = (value: string): readonly string[] => [
  ...Array.from({ length: Math.min(value.length - 1, LONGEST_ABOVE) }, (_, index) => value.slice(0, index + 1)),
  value,
]

/** True when `beginning` is one of `beginningsOf(value)`. */
export const isBeginning = (beginning: string, value: string): boolean =>
  beginning === value || (beginning.length <= LONGEST_ABOVE && value.startsWith(beginning))
