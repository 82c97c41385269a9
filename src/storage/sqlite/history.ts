/** History, newest first, of a resource, a type or a clinic: https://hl7.org/fhir/R4/http.html#history. */

import { readCursor, writeCursor } from '../cursor.ts'
import { type HistoryPage, type HistoryQuery, InvalidCursor, type StoredResource } from '../port.ts'
import type { Engine } from './engine.ts'
import { stored } from './resources.ts'
import { ALWAYS, and, type Sql, sql } from './sql.ts'

export function history(engine: Engine, query: HistoryQuery): HistoryPage {
  return engine.db.snapshot(() => {
    const range = rangeOf(engine, query)
    const after = cursorTest(query)
    if (range === undefined) return { versions: [], total: 0 }
    const where = and([range, timeTest(query)])
    const total = engine.db.number(sql`SELECT count(*) FROM version AS v WHERE ${where}`)
    const found = query.count === 0 ? [] : versions(engine, and([where, after]), query.count + 1)
    const shown = found.slice(0, query.count)
    const last = found.length > query.count ? shown.at(-1) : undefined
    return {
      versions: shown.map(({ version }) => version),
      total,
      ...(last === undefined ? {} : { next: writeCursor(cursorQuery(query), [last.updated, last.seq]) }),
    }
  })
}

/** The versions of what is asked for; undefined: there is nothing of it. */
function rangeOf(engine: Engine, { clinic, type, id }: HistoryQuery): Sql | undefined {
  if (type === undefined) {
    const clinicId = engine.names.clinic(clinic)
    return clinicId === undefined ? undefined : sql`v.clinic = ${clinicId}`
  }
  const typeId = engine.names.type(clinic, type)
  if (typeId === undefined || id === undefined) return typeId === undefined ? undefined : sql`v.type = ${typeId}`
  const row = engine.db.get<[number]>('SELECT row FROM resource WHERE type = ? AND id = ?', typeId, id)?.[0]
  return row === undefined ? undefined : sql`v.row = ${row}`
}

function timeTest({ since, at }: HistoryQuery): Sql {
  return and([
    since === undefined ? ALWAYS : sql`v.updated >= ${since}`,
    at === undefined
      ? ALWAYS
      : sql`v.updated <= ${at.to} AND NOT EXISTS (
      SELECT 1 FROM version AS n WHERE n.row = v.row AND n.version = v.version + 1 AND n.updated <= ${at.from})`,
  ])
}

interface Found {
  readonly seq: number
  readonly updated: number
  readonly version: StoredResource
}

/** By time, then by sequence: time never decreases from version to version of a resource, and has an index. */
function versions(engine: Engine, where: Sql, limit: number): readonly Found[] {
  const found = engine.db.select<[number, number, string, number, number, StoredResource['method'], string]>(
    sql`SELECT v.seq, v.type, r.id, v.version, v.updated, v.method, v.text
      FROM version AS v CROSS JOIN resource AS r ON r.row = v.row
      WHERE ${where} ORDER BY v.updated DESC, v.seq DESC LIMIT ${limit}`,
  )
  return found.map(([seq, type, id, version, updated, method, text]) => {
    return { seq, updated, version: stored(engine.names.textOf(type), id, [version, updated, method, text]) }
  })
}

const cursorQuery = ({ clinic, type, id, since, at }: HistoryQuery): unknown => ['history', clinic, type, id, since, at]

function cursorTest(query: HistoryQuery): Sql {
  if (query.after === undefined) return ALWAYS
  const [updated = null, seq = null] = readCursor(query.after, cursorQuery(query), 2)
  if (updated === null || seq === null) throw new InvalidCursor('This page address is not one of a history')
  return sql`(v.updated, v.seq) < (${updated}, ${seq})`
}
