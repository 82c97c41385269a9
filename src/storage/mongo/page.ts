/** One page of resources of one type, in order, and how many there are. */
import type { Condition, SortKey } from '../../search/plan.ts'
import type { CursorKey } from '../cursor.ts'
import { type Fitting, readFitting, type WithResource } from '../response-limit.ts'
import { bestSource, candidates, countOf } from './access-path.ts'
import type { IndexItem, ResourceDocument } from './collections.ts'
import { compileAll } from './compile.ts'
import type { Reader } from './engine.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import {
  afterFields,
  afterKeys,
  type FieldOrder,
  fieldOrder,
  fieldPosition,
  keyField,
  keyFields,
  keyOrder,
  missingFields,
  type Position,
} from './sort.ts'
import { type AccessPath, EVERY_LIVE, NEVER, type Scope, type Term } from './term.ts'
import { sessionOf } from './transaction.ts'

/** A search of one type, ready to give pages. */
export interface TypeSearch {
  readonly scope: Scope
  readonly terms: readonly Term[]
  readonly sort: readonly SortKey[]
}

/** A resource on a page, and its position in the order. */
export interface Row extends WithResource {
  readonly position: Position
  /** Only with PageOptions.withItems. */
  readonly ix: readonly IndexItem[]
}

export interface PageOptions {
  readonly after: Position | undefined
  readonly limit: number
  /** With the index items of each row, which say what it refers to. */
  readonly withItems: boolean
}

/** undefined: no resource can match. */
export async function typeSearch(
  reader: Reader,
  scope: Scope,
  where: readonly Condition[],
  sort: readonly SortKey[],
): Promise<TypeSearch | undefined> {
  const terms = await compileAll(reader, scope, where)
  return terms.includes(NEVER) ? undefined : { scope, terms, sort }
}

export const countRows = (reader: Reader, { scope, terms }: TypeSearch): Promise<number> =>
  countOf(reader, scope, terms)

/** At most `limit` rows after a position, in order. */
export async function pageOf(reader: Reader, search: TypeSearch, options: PageOptions): Promise<Fitting<Row>> {
  const order = fieldOrder(search.sort)
  return order === undefined
    ? await sorted(reader, search, options)
    : await inFieldOrder(reader, search, order, options)
}

/** In the order of an index, which is walked unless there are few candidates. */
async function inFieldOrder(
  reader: Reader,
  search: TypeSearch,
  order: FieldOrder,
  { after, limit, withItems }: PageOptions,
): Promise<Fitting<Row>> {
  const access = await orderedAccess(reader, search, order)
  const found = reader.resources
    .find(candidates(search.scope, access, search.terms, after && afterFields(order, after)), {
      projection: { ...projectionOf(withItems), stamp: 1 },
      ...sessionOf(reader),
    })
    .hint(access.index)
    .sort(order.sort)
    .limit(limit)
  return await readFitting(found, (document) => rowOf(document, fieldPosition(order, document)))
}

async function orderedAccess(
  reader: Reader,
  { scope, terms, sort }: TypeSearch,
  order: FieldOrder,
): Promise<AccessPath> {
  const comesInOrder = ({ access }: Term) => sort.length === 0 && access?.inOrder === true
  const source = await bestSource(reader, scope, terms, !terms.some(comesInOrder))
  if (source !== undefined && (source.few || (sort.length === 0 && source.access.inOrder))) return source.access
  return order.index === 'by_entry' ? EVERY_LIVE : { ...EVERY_LIVE, index: order.index, filters: [{}], inOrder: true }
}

/** Every candidate with its sort values, then sorted; MongoDB keeps only the best `limit` of them while it sorts. */
async function sorted(
  reader: Reader,
  { scope, terms, sort }: TypeSearch,
  { after, limit, withItems }: PageOptions,
): Promise<Fitting<Row>> {
  const access = (await bestSource(reader, scope, terms, false))?.access ?? EVERY_LIVE
  const pipeline = [
    { $match: candidates(scope, access, terms) },
    { $project: { ...projectionOf(withItems), ...keyFields(sort) } },
    ...(after === undefined ? [] : [{ $match: afterKeys(sort, after) }]),
    { $addFields: missingFields(sort) },
    { $sort: keyOrder(sort) },
    { $limit: limit },
  ]
  const options = { hint: access.index, ...sessionOf(reader) }
  return await readFitting(reader.resources.aggregate<SortedDocument>(pipeline, options), (document) => {
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
