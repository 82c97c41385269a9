/** Everything that a clinic has, in a stable order, for copies. */
import { readCursor, writeCursor } from '../cursor.ts'
import type { ScannedVersion, ScanPage, ScanQuery, StoredRecord, VersionScan } from '../port.ts'
import type { Database } from './connection.ts'
import type { Engine } from './engine.ts'
import { COLUMNS, type RecordRow, toRecord } from './records.ts'
import { fitting, stored } from './resources.ts'
import { ALWAYS, limitedTo, raw, sql } from './sql.ts'

/** Text in SQLite is compared by its bytes. */
export function clinics({ db }: Pick<Engine, 'db'>): readonly string[] {
  const found = db.all<[string]>('SELECT text FROM name WHERE parent = 0 UNION SELECT clinic FROM record ORDER BY 1')
  return found.map(([clinic]) => clinic).filter((clinic) => hasSomething(db, clinic))
}

/** A name stays when its last record is gone. */
const hasSomething = (db: Database, clinic: string): boolean =>
  db.number(sql`SELECT EXISTS (SELECT 1 FROM record WHERE clinic = ${clinic}) OR EXISTS (
    SELECT 1 FROM version WHERE clinic = (SELECT id FROM name WHERE parent = 0 AND text = ${clinic}))`) === 1

export function scanVersions(engine: Engine, scan: VersionScan): ScanPage<ScannedVersion> {
  return engine.db.snapshot(() => {
    const places = versionPlaces(engine, scan)
    const items = fitting(versionsAt(engine, places.slice(0, scan.limit)))
    const last = places.length > items.length ? places[items.length - 1] : undefined
    return { items, ...(last === undefined ? {} : { next: writeCursor(versionQuery(scan), last) }) }
  })
}

const versionQuery = ({ clinic }: VersionScan): unknown => ['versions', clinic]

type Place = readonly [updated: number, seq: number]

/** By time, then by sequence, as the index has them: the versions of one resource come in their order. */
function versionPlaces({ db, names }: Engine, scan: VersionScan): readonly Place[] {
  const [updated = null, seq = null] = scan.after === undefined ? [] : readCursor(scan.after, versionQuery(scan), 2)
  const clinic = names.clinic(scan.clinic)
  if (clinic === undefined) return []
  const after = scan.after === undefined ? ALWAYS : sql`(updated, seq) > (${updated}, ${seq})`
  return db.select<[number, number]>(sql`SELECT updated, seq FROM version INDEXED BY version_by_clinic
    WHERE clinic = ${clinic} AND updated >= ${scan.since ?? Number.MIN_SAFE_INTEGER} AND ${after}
    ORDER BY updated, seq ${limitedTo(scan.limit + 1)}`)
}

function* versionsAt({ db, names }: Engine, places: readonly Place[]): Generator<ScannedVersion> {
  const rows = db.each<[number, string, number, number, number, ScannedVersion['method'], string]>(
    `SELECT v.type, r.id, r.seq = v.seq, v.version, v.updated, v.method, v.text
     FROM json_each(?) AS wanted
       CROSS JOIN version AS v ON v.seq = wanted.value
       CROSS JOIN resource AS r ON r.row = v.row`,
    places.map(([, seq]) => seq),
  )
  for (const [type, id, isCurrent, ...version] of rows) {
    yield { ...stored(names.textOf(type), id, version), isCurrent: isCurrent === 1 }
  }
}

export function scanRecords(db: Database, scan: ScanQuery): ScanPage<StoredRecord> {
  const query = ['records', scan.clinic]
  const [kind = null, key = null] = scan.after === undefined ? [] : readCursor(scan.after, query, 2)
  const after = scan.after === undefined ? ALWAYS : sql`(kind, key) > (${kind}, ${key})`
  const found = db.select<RecordRow>(
    sql`SELECT ${raw(COLUMNS)} FROM record WHERE clinic = ${scan.clinic} AND ${after}
      ORDER BY kind, key ${limitedTo(scan.limit + 1)}`,
  )
  const items = found.slice(0, scan.limit).map(toRecord)
  const last = found.length > scan.limit ? items.at(-1) : undefined
  return { items, ...(last === undefined ? {} : { next: writeCursor(query, [last.kind, last.key]) }) }
}
