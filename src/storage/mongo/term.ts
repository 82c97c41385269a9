/**
 * Terms: a search condition as a filter on resource documents, and the index ranges that find the resources that fulfil
 * it.
 */
import type { Filter, ResourceIndex } from './collections.ts'
import { LIVE } from './index-entries.ts'

/** One resource type of one clinic. */
export interface Scope {
  readonly clinic: string
  readonly type: string
}

export interface Term {
  /** True of exactly the resources that fulfil the condition. */
  readonly filter: Filter
  /** Absent where no index finds them. */
  readonly source?: Source
  /** The filter lists many ids. */
  readonly isLong?: boolean
}

/** A source of resources: ranges of one index, one for each filter. */
export interface Source {
  readonly index: ResourceIndex
  /** Filters that together find every resource that fulfils the term; none: no resource does. */
  readonly filters: readonly Filter[]
  /** True when the filters find no other resource, so the term need not be tested on the results. */
  readonly exact: boolean
  /** True when the resources come in the order of creation. */
  readonly inCreationOrder: boolean
  /** True for a combined index declared for this search: no other source finds fewer. */
  readonly declared?: boolean
}

/** Most index ranges of one source. */
const MAX_RANGES = 32

export const NEVER: Term = {
  filter: { $nor: [{}] },
  source: { index: 'by_entry', filters: [], exact: true, inCreationOrder: true },
}

/** Every live resource, in the order of creation. */
export const EVERY_LIVE: Source = {
  index: 'by_entry',
  filters: [item(LIVE)],
  exact: true,
  inCreationOrder: true,
}

/** A term found by the ranges of all alternatives together, if an index finds each. */
export function anyOf(alternatives: readonly Term[]): Term {
  const terms = alternatives.filter((term) => term !== NEVER)
  const [first] = terms
  if (first === undefined || terms.length === 1) return first ?? NEVER
  const source = union(terms.map((term) => term.source))
  return {
    filter: { $or: terms.map(({ filter }) => filter) },
    ...(source === undefined ? {} : { source }),
    isLong: terms.some(({ isLong }) => isLong),
  }
}

function union(sources: readonly (Source | undefined)[]): Source | undefined {
  const known = sources.filter((source) => source !== undefined)
  const [first] = known
  const filters = known.flatMap((source) => source.filters)
  if (first === undefined || known.length < sources.length || filters.length > MAX_RANGES) return undefined
  if (known.some(({ index }) => index !== first.index)) return undefined
  return {
    index: first.index,
    filters,
    exact: known.every(({ exact }) => exact),
    inCreationOrder: known.every(({ inCreationOrder }) => inCreationOrder),
  }
}

/** A term found by the first part that an index finds; the others are tested. */
export function allOf(terms: readonly Term[]): Term {
  if (terms.length === 0) return { filter: {} }
  if (terms.includes(NEVER)) return NEVER
  const source = terms.find((term) => term.source !== undefined)?.source
  return {
    filter: { $and: terms.map(({ filter }) => filter) },
    ...(source === undefined ? {} : { source: { ...source, exact: terms.length === 1 && source.exact } }),
    isLong: terms.some(({ isLong }) => isLong),
  }
}

/** A filter for resources with an item that matches. */
export function item(match: Filter): Filter {
  return { ix: { $elemMatch: match } }
}

interface IndexUse {
  /** Matches that determine the index ranges, where the filter's own does not. */
  readonly by?: readonly Filter[]
  readonly inCreationOrder?: boolean
}

/** A term on index items, found by the index. */
export function indexedTerm(match: Filter, { by = [match], inCreationOrder = false }: IndexUse = {}): Term {
  return {
    filter: item(match),
    source: {
      index: 'by_entry',
      filters: by.map(item),
      exact: true,
      inCreationOrder,
    },
  }
}

/** A term on index items that no index range finds. */
export const testedTerm = (match: Filter): Term => ({ filter: item(match) })

/** The value of a field in a filter, for one of `values`. */
export const isOneOf = <Value>(values: readonly Value[]): Value | { readonly $in: readonly Value[] } | undefined =>
  values.length === 1 ? values[0] : { $in: values }
