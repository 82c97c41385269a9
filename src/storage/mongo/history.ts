/** History, newest first, of a resource, a type or a clinic: https://hl7.org/fhir/R4/http.html#history. */
import { InvalidCursor, writeCursor } from '../../search/cursor.ts'
import { historyCursorQuery, readKeys } from '../cursor.ts'
import type { HistoryPage, HistoryQuery, ListedVersion } from '../port.ts'
import { type LimitedItems, mergeWithinLimit, type WithResource } from '../response-limit.ts'
import type { Filter, HistoryDocument, ResourceDocument } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { readRows } from './read-rows.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import { inSnapshot, readOptions } from './transaction.ts'

/** The position of a version: by time, then by timestamp; both increase from version to version of a resource. */
interface Position {
  readonly updated: number
  readonly stamp: string
}

/** The current version of a resource is in `resources`, superseded ones are in `history`. */
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

/** At most `limit` versions, as many as fit a response. */
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

/** The index that has the order of the history, and the extra filter that it needs. */
function orderedIndex(
  collection: VersionCollection,
  { type, id, among }: HistoryQuery,
): Omit<VersionQuery, 'collection'> {
  const byTime = { updated: -1, [STAMP_FIELD[collection]]: -1 } as const
  const isCurrent = collection === 'resources'
  // Listed versions are read by their ids, and the newest of them are kept.
  if (among !== undefined) return { index: isCurrent ? 'by_id' : 'by_version', filter: {}, sort: byTime }
  if (type === undefined) return { index: 'by_clinic_time', filter: {}, sort: byTime }
  if (id !== undefined) {
    // There is only one current version.
    return isCurrent
      ? { index: 'by_id', filter: {}, sort: {} }
      : { index: 'by_version', filter: {}, sort: { version: -1 } }
  }
  // The index has live and deleted resources in separate ranges, which MongoDB merges.
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

/** The filter of a query. A version was current until the next one was written; the current version has no `until`. */
function filterOf({ clinic, type, id, since, at, among }: HistoryQuery): Filter {
  return {
    clinic,
    ...(type === undefined ? {} : { type }),
    ...(id === undefined ? {} : { id }),
    ...(since === undefined && at === undefined
      ? {}
      : { updated: { ...bound('$gte', since), ...bound('$lte', at?.to) } }),
    ...(at === undefined ? {} : { $or: [{ until: { $gt: at.from } }, { until: { $exists: false } }] }),
    ...(among === undefined ? {} : { $and: listedOnes(among.versions) }),
  }
}

/**
 * Filters for listed versions. Types and ids are the range of an index, which may combine a type with the id of another
 * one; the alternatives then exclude these.
 */
function listedOnes(versions: readonly ListedVersion[]): readonly Filter[] {
  const types = distinct(versions.map(({ type }) => type))
  const ids = distinct(versions.map(({ id }) => id))
  const alternatives = fewest(alternativesBy('version', versions), alternativesBy('id', versions))
  const range = { type: { $in: types }, id: { $in: ids } }
  return alternatives.length === 0 ? [range] : [range, { $or: alternatives }]
}

/** One alternative for each value of `field` in each type. MongoDB tries them one by one, so the fewer the better. */
function alternativesBy(field: 'id' | 'version', versions: readonly ListedVersion[]): readonly Filter[] {
  const groups = Map.groupBy(versions, (listed) => JSON.stringify([listed.type, listed[field] ?? null]))
  return [...groups.values()].map((group) => ({
    type: group[0]?.type,
    id: { $in: distinct(group.map(({ id }) => id)) },
    ...(group.some(({ version }) => version === undefined)
      ? {}
      : { version: { $in: distinct(group.map(({ version }) => version)) } }),
  }))
}

const fewest = <T>(some: readonly T[], others: readonly T[]): readonly T[] =>
  some.length <= others.length ? some : others

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)]

const bound = (operator: '$gte' | '$lte', value: number | undefined): Filter =>
  value === undefined ? {} : { [operator]: value }

function cursorPosition(query: HistoryQuery): Position | undefined {
  if (query.after === undefined) return undefined
  const [updated, stamp] = readKeys(query.after, historyCursorQuery(query), 2)
  if (typeof updated !== 'number' || typeof stamp !== 'string') {
    throw new InvalidCursor()
  }
  return { updated, stamp }
}
