/** Everything that a clinic has, in a stable order, for copies. */
import { readCursor, writeCursor } from '../cursor.ts'
import type { ScannedVersion, ScanPage, ScanQuery, StoredRecord, VersionScan } from '../port.ts'
import { type LimitedItems, mergeWithinLimit, readWithinLimit } from '../response-limit.ts'
import type { Filter, HistoryDocument, ResourceDocument } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { toRecord } from './records.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import { inSnapshot, sessionOf } from './transaction.ts'

/** Sorted by the bytes of their names, which is neither the order of `distinct` nor that of JavaScript. */
export async function clinics({ resources, records }: Engine): Promise<readonly string[]> {
  const names = [...(await resources.distinct('clinic')), ...(await records.distinct('clinic'))]
  return [...new Set(names)].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
}

interface Row {
  readonly updated: number
  /** Timestamp of the version, which sorts those of one millisecond. */
  readonly stamp: string
  readonly resource: ScannedVersion
}

/**
 * In one snapshot, as a version moves from one collection to the other when it is superseded.
 * @throws InvalidCursor
 */
export async function scanVersions(engine: Engine, scan: VersionScan): Promise<ScanPage<ScannedVersion>> {
  const filter = filterFor(scan)
  const { items, isCut } = await inSnapshot(engine, async (reader) =>
    mergeWithinLimit(
      [await currentVersions(reader, scan, filter('stamp')), await supersededVersions(reader, scan, filter('_id'))],
      (one, other) => one.updated - other.updated || (one.stamp < other.stamp ? -1 : 1),
    ),
  )
  const shown = items.slice(0, scan.limit)
  const last = isCut || items.length > scan.limit ? shown.at(-1) : undefined
  return {
    items: shown.map(({ resource }) => resource),
    ...(last === undefined ? {} : { next: writeCursor(versionQuery(scan), [last.updated, last.stamp]) }),
  }
}

const versionQuery = ({ clinic }: VersionScan): unknown => ['versions', clinic]

/** The filter for a collection, by its field that has the timestamp of a version. */
function filterFor(scan: VersionScan): (stampField: string) => Filter {
  const { clinic, since } = scan
  const written = since === undefined ? {} : { updated: { $gte: since } }
  if (scan.after === undefined) return () => ({ clinic, ...written })
  const [updated, stamp] = readCursor(scan.after, versionQuery(scan), 2)
  return (stampField) => ({
    clinic,
    updated: { $gte: updated },
    $or: [{ updated: { $gt: updated } }, { [stampField]: { $gt: stamp } }],
  })
}

function currentVersions(reader: Reader, { limit }: VersionScan, filter: Filter): Promise<LimitedItems<Row>> {
  const projection = { ...VERSION_FIELDS, stamp: 1 }
  const found: AsyncIterable<ResourceDocument> = reader.resources
    .find(filter, { projection, ...sessionOf(reader) })
    .hint('by_clinic_time')
    .sort({ updated: 1, stamp: 1 })
    .limit(limit + 1)
  return readWithinLimit(found, (document) => rowOf(document, document.stamp, true))
}

function supersededVersions(reader: Reader, { limit }: VersionScan, filter: Filter): Promise<LimitedItems<Row>> {
  const found: AsyncIterable<HistoryDocument> = reader.history
    .find(filter, { projection: VERSION_FIELDS, ...sessionOf(reader) })
    .hint('by_clinic_time')
    .sort({ updated: 1, _id: 1 })
    .limit(limit + 1)
  return readWithinLimit(found, (document) => rowOf(document, document._id, false))
}

const rowOf = (document: ResourceDocument | HistoryDocument, stamp: string, isCurrent: boolean): Row => ({
  updated: document.updated,
  stamp,
  resource: { ...toStored(document), isCurrent },
})

/** @throws InvalidCursor */
export async function scanRecords({ records }: Engine, scan: ScanQuery): Promise<ScanPage<StoredRecord>> {
  const query = ['records', scan.clinic]
  const [kind, key] = scan.after === undefined ? [] : readCursor(scan.after, query, 2)
  const after: Filter =
    scan.after === undefined ? {} : { kind: { $gte: kind }, $or: [{ kind: { $gt: kind } }, { key: { $gt: key } }] }
  const found = await records
    .find({ clinic: scan.clinic, ...after }, { projection: { _id: 0 } })
    .hint('by_key')
    .sort({ kind: 1, key: 1 })
    .limit(scan.limit + 1)
    .toArray()
  const items = found.slice(0, scan.limit).map(toRecord)
  const last = found.length > scan.limit ? items.at(-1) : undefined
  return { items, ...(last === undefined ? {} : { next: writeCursor(query, [last.kind, last.key]) }) }
}
