/** Everything that a clinic has, in a stable order, for copies of a store. */
import { writeCursor } from '../../search/cursor.ts'
import { readKeys, recordScanCursorQuery, versionScanCursorQuery } from '../cursor.ts'
import type { ScannedVersion, ScanPage, ScanQuery, StoredRecord, VersionScan } from '../port.ts'
import { withinLimit } from '../response-limit.ts'
import type { Database } from './connection.ts'
import type { Engine } from './engine.ts'
import { COLUMNS, type RecordRow, toRecord } from './records.ts'
import { toStored } from './resources.ts'
import { ALWAYS, limitedTo, raw, sql } from './sql.ts'

/** Each clinic is found by a seek for the next one, as it may have a million records. */
const CLINICS = `
  WITH RECURSIVE step(clinic) AS (
    SELECT (SELECT min(clinic) FROM record)
    UNION ALL SELECT (SELECT min(clinic) FROM record WHERE clinic > step.clinic) FROM step WHERE clinic IS NOT NULL
  )
  SELECT text FROM name WHERE parent = 0 UNION SELECT clinic FROM step WHERE clinic IS NOT NULL ORDER BY 1`

/** All clinics in use, by the bytes of their names, which is how SQLite compares texts. */
export function clinics({ db }: Pick<Engine, 'db'>): readonly string[] {
  const found = db.all<[string]>(CLINICS)
  return found.map(([clinic]) => clinic).filter((clinic) => isUsed(db, clinic))
}

/** True when the clinic has a version or a record; a name remains even when its last record is gone. */
const isUsed = (db: Database, clinic: string): boolean =>
  db.number(sql`SELECT EXISTS (SELECT 1 FROM record WHERE clinic = ${clinic}) OR EXISTS (
    SELECT 1 FROM version WHERE clinic = (SELECT id FROM name WHERE parent = 0 AND text = ${clinic}))`) === 1

/** @throws InvalidCursor */
export function scanVersions(engine: Engine, scan: VersionScan): ScanPage<ScannedVersion> {
  return engine.db.snapshot(() => {
    const keys = versionKeys(engine, scan)
    const items = withinLimit(versionsAt(engine, keys.slice(0, scan.limit)))
    const last = keys.length > items.length ? keys[items.length - 1] : undefined
    return { items, ...(last === undefined ? {} : { next: writeCursor(versionScanCursorQuery(scan), last) }) }
  })
}

type VersionKey = readonly [updated: number, seq: number]

/** Keys by time, then by sequence, in the order of the index: the versions of one resource come in their order. */
function versionKeys({ db, names }: Engine, scan: VersionScan): readonly VersionKey[] {
  const [updated = null, seq = null] =
    scan.after === undefined ? [] : readKeys(scan.after, versionScanCursorQuery(scan), 2)
  const scanned = scan.type === undefined ? names.clinic(scan.clinic) : names.type(scan.clinic, scan.type)
  if (scanned === undefined) return []
  const [index, column] = scan.type === undefined ? ['version_by_clinic', 'clinic'] : ['version_by_type', 'type']
  const after = scan.after === undefined ? ALWAYS : sql`(updated, seq) > (${updated}, ${seq})`
  return db.select<[number, number]>(sql`SELECT updated, seq FROM version AS v INDEXED BY ${raw(index)}
    WHERE ${raw(column)} = ${scanned} AND updated >= ${scan.since ?? Number.MIN_SAFE_INTEGER} AND ${after}
      AND ${scan.isCurrent ? IS_CURRENT : ALWAYS}
    ORDER BY updated, seq ${limitedTo(scan.limit + 1)}`)
}

const IS_CURRENT = raw('seq = (SELECT r.seq FROM resource AS r WHERE r.row = v.row)')

function* versionsAt({ db, names }: Engine, keys: readonly VersionKey[]): Generator<ScannedVersion> {
  const rows = db.each<[number, string, number, number, number, ScannedVersion['method'], string]>(
    `SELECT v.type, r.id, r.seq = v.seq, v.version, v.updated, v.method, v.text
     FROM json_each(?) AS wanted
       CROSS JOIN version AS v ON v.seq = wanted.value
       CROSS JOIN resource AS r ON r.row = v.row`,
    keys.map(([, seq]) => seq),
  )
  for (const [type, id, isCurrent, ...version] of rows) {
    yield { ...toStored(names.textOf(type), id, version), isCurrent: isCurrent === 1 }
  }
}

/** @throws InvalidCursor */
export function scanRecords(db: Database, scan: ScanQuery): ScanPage<StoredRecord> {
  const query = recordScanCursorQuery(scan)
  const [kind = null, key = null] = scan.after === undefined ? [] : readKeys(scan.after, query, 2)
  const after = scan.after === undefined ? ALWAYS : sql`(kind, key) > (${kind}, ${key})`
  const found = db.select<RecordRow>(
    sql`SELECT ${raw(COLUMNS)} FROM record WHERE clinic = ${scan.clinic} AND ${after}
      ORDER BY kind, key ${limitedTo(scan.limit + 1)}`,
  )
  const items = found.slice(0, scan.limit).map(toRecord)
  const last = found.length > scan.limit ? items.at(-1) : undefined
  return { items, ...(last === undefined ? {} : { next: writeCursor(query, [last.kind, last.key]) }) }
}
