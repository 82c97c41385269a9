/** One page of resources of one type, in order. */
import type { CursorKey } from '../cursor.ts'
import type { LimitedItems, WithResource } from '../response-limit.ts'
import { type AccessPath, accessPath, candidateFilter } from './access-path.ts'
import type { Filter, IndexItem, ResourceDocument, ResourceIndex } from './collections.ts'
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
import { EVERY_LIVE, type Scope, type Source, type Term } from './term.ts'
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
  options: PageOptions,
): Promise<LimitedItems<Row>> {
  const { scope, terms } = search
  const { source, ids } = await orderedPath(reader, search, order)
  if (ids !== undefined && isListed(reader, search, source)) {
    const page = await listedPage(reader, search, source, ids, order, options)
    if (page !== undefined) return page
  }
  const { after, limit } = options
  const filter = candidateFilter(scope, source, terms, after && afterIndexPosition(order, after))
  return await readPage(reader, scope, filter, source.index, order, options, limit)
}

async function readPage(
  reader: Reader,
  { type }: Scope,
  filter: Filter,
  hint: ResourceIndex | '_id_',
  order: IndexOrder,
  { withItems }: PageOptions,
  limit: number,
): Promise<LimitedItems<Row>> {
  const projection = { ...projectionOf(withItems), stamp: 1 }
  const read = { projection, hint, sort: order.sort, limit, ...readOptions(reader) }
  const found = collectionOf(reader, type).find(filter, read)
  return await readRows(found, (document) => rowOf(document, indexPosition(order, document)))
}

/** True when the ids that the source finds are exactly the matches, in the state that is read. */
const isListed = ({ session }: Reader, { terms, sort }: TypeSearch, source: Source): boolean =>
  session === undefined && sort.length === 0 && source.exact && terms.length === 1

/**
 * The page of a list of all matches: only documents of the page are read.
 * @returns undefined when one of them has changed since and no longer matches
 */
async function listedPage(
  reader: Reader,
  { scope, terms }: TypeSearch,
  source: Source,
  ids: readonly string[],
  order: IndexOrder,
  options: PageOptions,
): Promise<LimitedItems<Row> | undefined> {
  const { after, limit } = options
  const later = after === undefined ? ids : ids.filter((id) => id > after.tieBreak)
  const page = later.toSorted().slice(0, limit)
  if (page.length === 0) return NOTHING
  const filter = { ...candidateFilter(scope, source, terms), _id: { $in: page } }
  const found = await readPage(reader, scope, filter, '_id_', order, options, page.length)
  return found.isCut || found.items.length === page.length ? found : undefined
}

const NOTHING: LimitedItems<Row> = { items: [], isCut: false }

async function orderedPath(
  reader: Reader,
  { scope, terms, sort }: TypeSearch,
  order: IndexOrder,
): Promise<Omit<AccessPath, 'isFew'>> {
  const comesInOrder = ({ source }: Term) => sort.length === 0 && source?.inCreationOrder === true
  const path = await accessPath(reader, scope, terms, !terms.some(comesInOrder))
  if (path !== undefined && (path.isFew || (sort.length === 0 && path.source.inCreationOrder))) return path
  return order.index === 'by_entry'
    ? { source: EVERY_LIVE }
    : { source: { ...EVERY_LIVE, index: order.index, filters: [{}], inCreationOrder: true } }
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
