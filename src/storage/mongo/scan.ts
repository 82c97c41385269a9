/** Everything that a clinic has, in a stable order, for copies. */
import { writeCursor } from '../../search/cursor.ts'
import { type CursorKey, compareTexts, readKeys, recordScanCursorQuery, versionScanCursorQuery } from '../cursor.ts'
import type { ScannedVersion, ScanPage, ScanQuery, StoredRecord, VersionScan } from '../port.ts'
import { mergeWithinLimit } from '../response-limit.ts'
import type { Filter } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { readVersions, STAMP_FIELD, type VersionQuery } from './history.ts'
import { toRecord } from './records.ts'
import { readOptions } from './transaction.ts'

/**
 * All clinics in use, sorted by the bytes of their names, which is the order neither of `distinct` nor of JavaScript.
 */
export async function clinics({ resources, records }: Engine): Promise<readonly string[]> {
  const names = [...(await resources.distinct('clinic')), ...(await records.distinct('clinic'))]
  return [...new Set(names)].sort(compareTexts)
}

/**
 * Reads one page.
 * @param reader of a snapshot, as a version moves from one collection to the other when it is superseded
 * @throws InvalidCursor
 */
export async function scanVersions(reader: Reader, scan: VersionScan): Promise<ScanPage<ScannedVersion>> {
  const position = scan.after === undefined ? undefined : readKeys(scan.after, versionScanCursorQuery(scan), 2)
  const current = await readVersions(reader, versionQuery('resources', scan, position), scan.limit + 1)
  const superseded = scan.isCurrent
    ? NOTHING
    : await readVersions(reader, versionQuery('history', scan, position), scan.limit + 1)
  const { items, isCut } = mergeWithinLimit(
    [current, superseded],
    (one, other) => one.updated - other.updated || (one.stamp < other.stamp ? -1 : 1),
  )
  const shown = items.slice(0, scan.limit)
  const last = isCut || items.length > scan.limit ? shown.at(-1) : undefined
  return {
    items: shown.map(({ resource, isCurrent }) => ({ ...resource, isCurrent })),
    ...(last === undefined ? {} : { next: writeCursor(versionScanCursorQuery(scan), [last.updated, last.stamp]) }),
  }
}

const NOTHING = { items: [], isCut: false } as const

function versionQuery(
  collection: VersionQuery['collection'],
  { clinic, type, since }: VersionScan,
  position: readonly CursorKey[] | undefined,
): VersionQuery {
  const stamp = STAMP_FIELD[collection]
  const written = since === undefined ? {} : { updated: { $gte: since } }
  const filter = { clinic, ...(position === undefined ? written : afterPosition(position, stamp)) }
  const sort = { updated: 1, [stamp]: 1 } as const
  if (type === undefined) return { collection, index: 'by_clinic_time', filter, sort }
  // The index has live and deleted resources in separate ranges, which MongoDB merges.
  const states = collection === 'resources' ? { live: { $in: [true, false] } } : {}
  return { collection, index: 'by_time', filter: { ...filter, type, ...states }, sort }
}

const afterPosition = ([updated, stamp]: readonly CursorKey[], stampField: string): Filter => ({
  updated: { $gte: updated },
  $or: [{ updated: { $gt: updated } }, { [stampField]: { $gt: stamp } }],
})

/** @throws InvalidCursor */
export async function scanRecords(reader: Reader, scan: ScanQuery): Promise<ScanPage<StoredRecord>> {
  const query = recordScanCursorQuery(scan)
  const [kind, key] = scan.after === undefined ? [] : readKeys(scan.after, query, 2)
  const after: Filter =
    scan.after === undefined ? {} : { kind: { $gte: kind }, $or: [{ kind: { $gt: kind } }, { key: { $gt: key } }] }
  const found = await reader.records
    .find({ clinic: scan.clinic, ...after }, { projection: { _id: 0 }, ...readOptions(reader) })
    .hint('by_key')
    .sort({ kind: 1, key: 1 })
    .limit(scan.limit + 1)
    .toArray()
  const items = found.slice(0, scan.limit).map(toRecord)
  const last = found.length > scan.limit ? items.at(-1) : undefined
  return { items, ...(last === undefined ? {} : { next: writeCursor(query, [last.kind, last.key]) }) }
}
