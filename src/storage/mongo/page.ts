/** One page of resources of one type, in order. */
import type { CursorKey } from '../cursor.ts'
import type { LimitedItems, WithResource } from '../response-limit.ts'
import { accessPath, candidateFilter } from './access-path.ts'
import type { IndexItem, ResourceDocument } from './collections.ts'
import type { Reader } from './engine.ts'
import { collectionOf } from './inner-resources.ts'
import { readRows } from './read-rows.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import {
  afterIndexPosition,
  afterSortKeys,
  type IndexOrder,
  indexOrder,
  indexPosition,
  keyField,
  keyFields,
  keyOrder,
  missingFields,
  type Position,
} from './sort.ts'
import { EVERY_LIVE, type Source, type Term } from './term.ts'
import { readOptions } from './transaction.ts'
import type { TypeSearch } from './type-search.ts'

/** A resource on a page, and its position in the order. */
export interface Row extends WithResource {
  readonly position: Position
  /** Only with PageOptions.withItems. */
  readonly ix: readonly IndexItem[]
}

export interface PageOptions {
  readonly after: Position | undefined
  readonly limit: number
  /** Includes the index items of each row, which contain its references. */
  readonly withItems: boolean
}

/** At most `limit` rows after a position, in order. */
export async function pageOf(reader: Reader, search: TypeSearch, options: PageOptions): Promise<LimitedItems<Row>> {
  const order = indexOrder(search.sort)
  return order === undefined ? await collect(reader, search, options) : await scan(reader, search, order, options)
}

/** A page in the order of an index, which is scanned unless there are few candidates. */
async function scan(
  reader: Reader,
  search: TypeSearch,
  order: IndexOrder,
  { after, limit, withItems }: PageOptions,
): Promise<LimitedItems<Row>> {
  const { scope, terms } = search
  const source = await orderedSource(reader, search, order)
  const filter = candidateFilter(scope, source, terms, after && afterIndexPosition(order, after))
  const projection = { ...projectionOf(withItems), stamp: 1 }
  const options = { projection, hint: source.index, sort: order.sort, limit, ...readOptions(reader) }
  const found = collectionOf(reader, scope.type).find(filter, options)
  return await readRows(found, (document) => rowOf(document, indexPosition(order, document)))
}

async function orderedSource(reader: Reader, { scope, terms, sort }: TypeSearch, order: IndexOrder): Promise<Source> {
  const comesInOrder = ({ source }: Term) => sort.length === 0 && source?.inCreationOrder === true
  const path = await accessPath(reader, scope, terms, !terms.some(comesInOrder))
  if (path !== undefined && (path.isFew || (sort.length === 0 && path.source.inCreationOrder))) return path.source
  return order.index === 'by_entry' ? EVERY_LIVE : { ...EVERY_LIVE, index: order.index, filters: [{}] }
}

/**
 * Collects every candidate with its sort values, then sorts; MongoDB keeps only the first `limit` of them while it
 * sorts.
 */
async function collect(
  reader: Reader,
  { scope, terms, sort }: TypeSearch,
  { after, limit, withItems }: PageOptions,
): Promise<LimitedItems<Row>> {
  const source = (await accessPath(reader, scope, terms))?.source ?? EVERY_LIVE
  const pipeline = [
    { $match: candidateFilter(scope, source, terms) },
    { $project: { ...projectionOf(withItems), ...keyFields(sort) } },
    ...(after === undefined ? [] : [{ $match: afterSortKeys(sort, after) }]),
    { $addFields: missingFields(sort) },
    { $sort: keyOrder(sort) },
    { $limit: limit },
  ]
  const options = { hint: source.index, ...readOptions(reader) }
  const found = collectionOf(reader, scope.type).aggregate<SortedDocument>(pipeline, options)
  return await readRows(found, (document) => {
    const keys = sort.map((_, index) => document[keyField(index)] ?? null)
    return rowOf(document, { keys, tieBreak: document._id })
  })
}

const rowOf = (document: ResourceDocument, position: Position): Row => ({
  resource: toStored(document),
  position,
  ix: document.ix,
})

type SortedDocument = ResourceDocument & { readonly [key: string]: CursorKey }

const projectionOf = (withItems: boolean) => ({ ...VERSION_FIELDS, ...(withItems ? { ix: 1 } : {}) })
