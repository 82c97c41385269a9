/** History, newest first, of a resource, a type or a clinic: https://hl7.org/fhir/R4/http.html#history. */
import { historyCursorQuery, readCursor, writeCursor } from '../cursor.ts'
import { type HistoryPage, type HistoryQuery, InvalidCursor } from '../port.ts'
import { type LimitedItems, mergeWithinLimit, type WithResource } from '../response-limit.ts'
import type { Filter, HistoryDocument, ResourceDocument } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { readRows } from './read-rows.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import { inSnapshot, readOptions } from './transaction.ts'

/** Position of a version: by time, then by timestamp; both increase from version to version of a resource. */
interface Position {
  readonly updated: number
  readonly stamp: string
}

/** The current version of a resource is in `resources`, the superseded ones are in `history`. */
type VersionCollection = 'resources' | 'history'

/** The field with the timestamp of a version. */
export const STAMP_FIELD = { resources: 'stamp', history: '_id' } as const satisfies Record<VersionCollection, string>

interface VersionRow extends Position, WithResource {
  readonly isCurrent: boolean
}

/** Versions in one of the two collections, in the order of an index. */
export interface VersionQuery {
  readonly collection: VersionCollection
  readonly index: string
  readonly filter: Filter
  readonly sort: Readonly<Record<string, 1 | -1>>
}

const NOTHING: LimitedItems<VersionRow> = { items: [], isCut: false }

/** @throws InvalidCursor */
export async function history(engine: Engine, query: HistoryQuery): Promise<HistoryPage> {
  const after = cursorPosition(query)
  return await inSnapshot(engine, async (reader) => {
    const { items, isCut } = query.count === 0 ? NOTHING : await versions(reader, query, after, query.count + 1)
    const shown = items.slice(0, query.count)
    const last = isCut || items.length > query.count ? shown.at(-1) : undefined
    return {
      versions: shown.map(({ resource }) => resource),
      total: await count(reader, query),
      ...(last === undefined ? {} : { next: writeCursor(historyCursorQuery(query), [last.updated, last.stamp]) }),
    }
  })
}

async function versions(
  reader: Reader,
  query: HistoryQuery,
  after: Position | undefined,
  limit: number,
): Promise<LimitedItems<VersionRow>> {
  const current = await readVersions(reader, versionQuery('resources', query, after), limit)
  const superseded = await readVersions(reader, versionQuery('history', query, after), limit)
  return mergeWithinLimit([current, superseded], newestFirst)
}

const newestFirst = (one: Position, other: Position): number =>
  other.updated - one.updated || (one.stamp < other.stamp ? 1 : -1)

/** At most `limit` versions, as far as they fit a response. */
export async function readVersions(
  reader: Reader,
  { collection, index, filter, sort }: VersionQuery,
  limit: number,
): Promise<LimitedItems<VersionRow>> {
  const options = { projection: { ...VERSION_FIELDS, stamp: 1 }, hint: index, sort, limit, ...readOptions(reader) }
  const rowOf = (document: ResourceDocument | HistoryDocument): VersionRow => ({
    updated: document.updated,
    stamp: 'stamp' in document ? document.stamp : document._id,
    isCurrent: collection === 'resources',
    resource: toStored(document),
  })
  return collection === 'resources'
    ? await readRows(reader.resources.find(filter, options), rowOf)
    : await readRows(reader.history.find(filter, options), rowOf)
}

function versionQuery(collection: VersionCollection, query: HistoryQuery, after: Position | undefined): VersionQuery {
  const { filter, ...order } = orderedIndex(collection, query)
  const older = after === undefined ? [] : [olderThan(after, STAMP_FIELD[collection])]
  return { collection, ...order, filter: { clinic: query.clinic, ...filter, $and: [filterOf(query), ...older] } }
}

/** The index that has the order of the history, and what its filter needs besides. */
function orderedIndex(collection: VersionCollection, { type, id }: HistoryQuery): Omit<VersionQuery, 'collection'> {
  const byTime = { updated: -1, [STAMP_FIELD[collection]]: -1 } as const
  const isCurrent = collection === 'resources'
  if (type === undefined) return { index: 'by_clinic_time', filter: {}, sort: byTime }
  if (id !== undefined) {
    // There is only one current version.
    return isCurrent
      ? { index: 'by_id', filter: {}, sort: {} }
      : { index: 'by_version', filter: {}, sort: { version: -1 } }
  }
  // The index has the live and the deleted resources apart; MongoDB merges the two sorted ranges.
  return { index: 'by_time', filter: isCurrent ? { live: { $in: [true, false] } } : {}, sort: byTime }
}

const olderThan = ({ updated, stamp }: Position, stampField: string): Filter => ({
  updated: { $lte: updated },
  $or: [{ updated: { $lt: updated } }, { [stampField]: { $lt: stamp } }],
})

async function count(reader: Reader, query: HistoryQuery): Promise<number> {
  const filter = filterOf(query)
  const current = await reader.resources.countDocuments(filter, { ...readOptions(reader) })
  return current + (await reader.history.countDocuments(filter, { ...readOptions(reader) }))
}

/** A version was current until the next one was written; the current version has no `until`. */
function filterOf({ clinic, type, id, since, at }: HistoryQuery): Filter {
  return {
    clinic,
    ...(type === undefined ? {} : { type }),
    ...(id === undefined ? {} : { id }),
    ...(since === undefined && at === undefined
      ? {}
      : { updated: { ...bound('$gte', since), ...bound('$lte', at?.to) } }),
    ...(at === undefined ? {} : { $or: [{ until: { $gt: at.from } }, { until: { $exists: false } }] }),
  }
}

const bound = (operator: '$gte' | '$lte', value: number | undefined): Filter =>
  value === undefined ? {} : { [operator]: value }

function cursorPosition(query: HistoryQuery): Position | undefined {
  if (query.after === undefined) return undefined
  const [updated, stamp] = readCursor(query.after, historyCursorQuery(query), 2)
  if (typeof updated !== 'number' || typeof stamp !== 'string') {
    throw new InvalidCursor('This page address is not one of a history')
  }
  return { updated, stamp }
}
