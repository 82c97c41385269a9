/** Terms: a search condition as a filter on resource documents, and as index ranges that find what fulfils it. */
import type { Condition } from '../../search/plan.ts'
import type { Filter, ResourceIndex } from './collections.ts'
import { LIVE } from './index-entries.ts'

export type Of<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/** One resource type of one clinic. */
export interface Scope {
  readonly clinic: string
  readonly type: string
}

export interface Term {
  /** True of exactly the resources that fulfil the condition. */
  readonly filter: Filter
  /** Absent where no index finds them. */
  readonly access?: Access
}

/** Index ranges that find resources, one for each filter. */
export interface Access {
  readonly index: ResourceIndex
  /** Together they find everything that fulfils the term; none: nothing does. */
  readonly filters: readonly Filter[]
  /** They find nothing else, so the term need not be tested on what they find. */
  readonly exact: boolean
  /** What they find comes in the order of creation. */
  readonly inOrder: boolean
  /** The kind of search it is, to remember how much such a search finds. */
  readonly habit: string
  /** Declared for this very search: nothing finds fewer. */
  readonly declared?: boolean
}

const MOST_ALTERNATIVES = 32

export const NEVER: Term = {
  filter: { $nor: [{}] },
  access: { index: 'by_entry', filters: [], exact: true, inOrder: true, habit: 'nothing' },
}

export const EVERY: Access = {
  index: 'by_entry',
  filters: [item(LIVE)],
  exact: true,
  inOrder: true,
  habit: 'everything',
}

export function anyOf(alternatives: readonly Term[]): Term {
  const terms = alternatives.filter((term) => term !== NEVER)
  const [first] = terms
  if (first === undefined || terms.length === 1) return first ?? NEVER
  const access = union(terms.map((term) => term.access))
  return { filter: { $or: terms.map(({ filter }) => filter) }, ...(access === undefined ? {} : { access }) }
}

function union(accesses: readonly (Access | undefined)[]): Access | undefined {
  const known = accesses.filter((access) => access !== undefined)
  const [first] = known
  const filters = known.flatMap((access) => access.filters)
  if (first === undefined || known.length < accesses.length || filters.length > MOST_ALTERNATIVES) return undefined
  if (known.some(({ index }) => index !== first.index)) return undefined
  return {
    index: first.index,
    filters,
    exact: known.every(({ exact }) => exact),
    inOrder: known.every(({ inOrder }) => inOrder),
    habit: `any of ${known.map(({ habit }) => habit).join()}`,
  }
}

/** Found by the first part that an index finds; the others are tested. */
export function allOf(terms: readonly Term[]): Term {
  if (terms.length === 0) return { filter: {} }
  if (terms.includes(NEVER)) return NEVER
  const access = terms.find((term) => term.access !== undefined)?.access
  return {
    filter: { $and: terms.map(({ filter }) => filter) },
    ...(access === undefined ? {} : { access: { ...access, exact: terms.length === 1 && access.exact } }),
  }
}

/** The resource has an item that matches. */
export function item(match: Filter): Filter {
  return { ix: { $elemMatch: match } }
}

interface Ways {
  /** By other matches than the filter's own. */
  readonly by?: readonly Filter[]
  readonly inOrder?: boolean
  /** What tells searches with few results from others, besides the key. */
  readonly habit?: string
}

/** A term on items, found by the index on them. */
export function found(match: Filter, { by = [match], inOrder = false, habit = '' }: Ways = {}): Term {
  return {
    filter: item(match),
    access: { index: 'by_entry', filters: by.map(item), exact: true, inOrder, habit: `${match['k']} ${habit}` },
  }
}

export const onlyTested = (match: Filter): Term => ({ filter: item(match) })

export const oneOf = <Value>(values: readonly Value[]): Value | { readonly $in: readonly Value[] } | undefined =>
  values.length === 1 ? values[0] : { $in: values }

/** Sizes that differ less than fourfold are alike to the memory of searches. */
export const magnitude = (size: number): number => Math.floor(Math.log2(Math.max(1, size)) / 2)
