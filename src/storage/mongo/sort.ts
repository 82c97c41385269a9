/** Sort keys as fields and expressions (https://www.mongodb.com/docs/manual/reference/operator/aggregation/sort/). */
import type { Document } from 'mongodb'
import { type SortKey, textOrderParam } from '../../search/plan.ts'
import type { CursorKey } from '../cursor.ts'
import { compareKeys, compareTexts } from '../cursor.ts'
import type { Filter, ResourceDocument, ResourceIndex } from './collections.ts'
import { keyOf } from './index-entries.ts'

/** The end of a page. */
export interface Position {
  readonly keys: readonly CursorKey[]
  /** Orders resources whose keys are all equal. */
  readonly tieBreak: string
}

type Direction = 1 | -1
const directionOf = (descending: boolean): Direction => (descending ? -1 : 1)

/** The order of an index. */
export interface IndexOrder {
  readonly index: ResourceIndex
  /** Absent: the order of creation alone. */
  readonly key?: 'id' | 'updated'
  /** Orders resources of all types whose keys are equal. */
  readonly tieBreak: '_id' | 'stamp'
  readonly direction: Direction
  readonly sort: Readonly<Record<string, Direction>>
}

/** The index with the requested order; undefined: there is none, so candidates must be sorted. */
export function indexOrder(sort: readonly SortKey[]): IndexOrder | undefined {
  const [first] = sort
  if (first === undefined) return { index: 'by_entry', tieBreak: '_id', direction: 1, sort: { _id: 1 } }
  if (sort.length > 1) return undefined
  const direction = directionOf(first.descending)
  // The id needs no tie-break: no two resources of a type share one.
  if (first.by === 'id') return { index: 'by_id', key: 'id', tieBreak: '_id', direction, sort: { id: direction } }
  if (first.by !== 'lastUpdated') return undefined
  return {
    index: 'by_time',
    key: 'updated',
    tieBreak: 'stamp',
    direction,
    sort: { updated: direction, stamp: direction },
  }
}

export const indexPosition = ({ key, tieBreak }: IndexOrder, document: ResourceDocument): Position => ({
  keys: key === undefined ? [] : [document[key]],
  tieBreak: document[tieBreak],
})

export function afterIndexPosition({ key, tieBreak, direction }: IndexOrder, position: Position): Filter {
  const beyond = direction === 1 ? '$gt' : '$lt'
  const later = { [tieBreak]: { [beyond]: position.tieBreak } }
  if (key === undefined) return later
  const [value = null] = position.keys
  // The first comparison is the index bound.
  return { [key]: { [`${beyond}e`]: value }, $or: [{ [key]: { [beyond]: value } }, later] }
}

/** The value by which a resource is sorted: the least of its items ascending, the greatest descending, or null. */
function sortValue(key: SortKey): Document | string {
  switch (key.by) {
    case 'id':
      return '$id'
    case 'lastUpdated':
      return '$updated'
    case 'date':
    case 'number':
    case 'quantity':
      return extreme(key, key.descending ? 'high' : 'v')
    case 'string':
    case 'token':
    case 'reference':
    case 'uri':
      return extreme(key, 'v')
  }
}

type EntryKey = Extract<SortKey, { param: string }>

function extreme({ by, param, descending }: EntryKey, field: 'v' | 'high'): Document {
  const items = { $filter: { input: '$ix', cond: isSortedBy(by, param, descending) } }
  return { [descending ? '$max' : '$min']: { $map: { input: items, in: `$$this.${field}` } } }
}

/** A test for items of the parameter that are sort values. */
function isSortedBy(by: EntryKey['by'], param: string, descending: boolean): Document {
  const ofParam = (name: string): Document => ({ $eq: ['$$this.k', { $literal: keyOf(by, name) }] })
  switch (by) {
    case 'token':
      return { $and: [{ $or: [param, textOrderParam(param, descending)].map(ofParam) }, NOT_EMPTY] }
    case 'string':
      return { $and: [ofParam(param), NOT_EMPTY] }
    case 'reference':
    case 'uri':
    case 'date':
    case 'number':
    case 'quantity':
      return ofParam(param)
  }
}

/** An empty text or code is not a sort value. */
const NOT_EMPTY: Document = { $ne: ['$$this.v', ''] }

/** Fields of the sorted documents, in addition to VERSION_FIELDS. */
export const keyField = (index: number): string => `key${index}`
const missingField = (index: number): string => `missing${index}`

export const keyFields = (sort: readonly SortKey[]): Document =>
  Object.fromEntries(sort.map((key, index) => [keyField(index), sortValue(key)]))

/** Fields that put missing values last, in either direction. */
export const missingFields = (sort: readonly SortKey[]): Document =>
  Object.fromEntries(sort.map((_, index) => [missingField(index), { $eq: [`$${keyField(index)}`, null] }]))

/** The sort order; resources with equal keys are sorted by creation, in the direction of the first key. */
export const keyOrder = (sort: readonly SortKey[]): Readonly<Record<string, Direction>> => ({
  ...Object.assign(
    {},
    ...sort.map(({ descending }, index) => ({
      [missingField(index)]: 1,
      [keyField(index)]: directionOf(descending),
    })),
  ),
  _id: directionOf(sort[0]?.descending ?? false),
})

/** A filter for resources after `position`; a missing value comes after every value. */
export function afterSortKeys(sort: readonly SortKey[], { keys, tieBreak }: Position): Filter {
  const last: Filter = { _id: { [sort[0]?.descending ? '$lt' : '$gt']: tieBreak } }
  return sort.reduceRight((later, { descending }, index) => {
    const [field, key] = [keyField(index), keys[index] ?? null]
    if (key === null) return { $and: [{ [field]: null }, later] }
    const beyond = { [field]: { [descending ? '$lt' : '$gt']: key } }
    return { $or: [beyond, { [field]: null }, { $and: [{ [field]: key }, later] }] }
  }, last)
}

/** Compares positions of several types, in the same order as within a page. */
export function comparePositions(sort: readonly SortKey[], one: Position, other: Position): number {
  const [first, second] = sort[0]?.descending ? [other, one] : [one, other]
  return compareKeys(sort, one.keys, other.keys) || compareTexts(first.tieBreak, second.tieBreak)
}
