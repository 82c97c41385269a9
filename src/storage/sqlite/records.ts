/** Records: small documents of the server's own that are not FHIR. */
import type { RecordChange, RecordQuery, StoredRecord } from '../port.ts'
import { StoreConflict } from '../store-errors.ts'
import type { Database } from './connection.ts'
import { ALWAYS, and, limitedTo, raw, sql, visited } from './sql.ts'

export const COLUMNS = 'clinic, kind, key, version, value, due'
export type RecordRow = [clinic: string, kind: string, key: string, version: number, value: string, due: number | null]

export function readRecord(db: Database, clinic: string, kind: string, key: string): StoredRecord | undefined {
  const found = db.get<RecordRow>(
    `SELECT ${COLUMNS} FROM record WHERE kind = ? AND clinic = ? AND key = ?`,
    ...[kind, clinic, key],
  )
  return found && toRecord(found)
}

export function findRecords(db: Database, query: RecordQuery): readonly StoredRecord[] {
  const where = and([
    sql`kind = ${query.kind}`,
    visited(raw('version')),
    query.clinic === undefined ? ALWAYS : sql`clinic = ${query.clinic}`,
    query.dueBefore === undefined ? ALWAYS : sql`due <= ${query.dueBefore}`,
    query.after === undefined ? ALWAYS : sql`key > ${query.after}`,
  ])
  const order = raw(query.dueBefore === undefined ? 'key, clinic' : 'due, clinic, key')
  return db
    .select<RecordRow>(
      sql`SELECT ${raw(COLUMNS)} FROM record WHERE ${where} ORDER BY ${order} ${limitedTo(query.limit)}`,
    )
    .map(toRecord)
}

/** The conflict that prevents `change` from being written, if any. */
export function recordConflict(db: Database, change: RecordChange): StoreConflict | undefined {
  if (change.expect === 'any' || change.expect === versionOf(db, change)) return undefined
  return new StoreConflict('record', `${change.kind}/${change.key}`)
}

export function writeRecord(db: Database, change: RecordChange): void {
  const { clinic, kind, key, value, due = null, version = null } = change
  if (value === undefined) {
    db.run('DELETE FROM record WHERE kind = ? AND clinic = ? AND key = ?', kind, clinic, key)
    return
  }
  db.run(
    `INSERT INTO record (clinic, kind, key, version, value, due) VALUES (?1, ?2, ?3, coalesce(?6, 1), ?4, ?5)
     ON CONFLICT (clinic, kind, key) DO UPDATE
     SET version = coalesce(?6, version + 1), value = excluded.value, due = excluded.due`,
    ...[clinic, kind, key, JSON.stringify(value), due, version],
  )
}

/** The version of a record; 0 when there is none. */
export const versionOf = (db: Database, { clinic, kind, key }: Pick<RecordChange, 'clinic' | 'kind' | 'key'>): number =>
  db.number(sql`SELECT version FROM record WHERE kind = ${kind} AND clinic = ${clinic} AND key = ${key}`)

export const toRecord = ([clinic, kind, key, version, value, due]: RecordRow): StoredRecord => ({
  clinic,
  kind,
  key,
  version,
  value: JSON.parse(value),
  due,
})
