/** History, newest first, of a resource, a type or a clinic: https://hl7.org/fhir/R4/http.html#history. */

import { InvalidCursor, writeCursor } from '../../search/cursor.ts'
import { historyCursorQuery, readKeys } from '../cursor.ts'
import type { HistoryPage, HistoryQuery, ListedVersion } from '../port.ts'
import type { Engine } from './engine.ts'
import { readVersions } from './resources.ts'
import { ALWAYS, and, limitedTo, raw, type Sql, sql, visited } from './sql.ts'

/** @throws InvalidCursor */
export function history(engine: Engine, query: HistoryQuery): HistoryPage {
  return engine.db.snapshot(() => {
    const range = rangeOf(engine, query)
    const after = cursorTest(query)
    if (range === undefined) return { versions: [], total: 0 }
    const where = and([range, visited(raw('v.seq')), timeTest(query)])
    const total = engine.db.number(sql`SELECT count(*) FROM version AS v WHERE ${where}`)
    const found = query.count === 0 ? [] : versionKeys(engine, and([where, after]), query.count + 1)
    const versions = readVersions(
      engine,
      found.slice(0, query.count).map(({ seq }) => seq),
    )
    const last = found.length > versions.length ? found[versions.length - 1] : undefined
    return {
      versions,
      total,
      ...(last === undefined ? {} : { next: writeCursor(historyCursorQuery(query), [last.updated, last.seq]) }),
    }
  })
}

/** The condition on versions that the query selects; undefined: no such version was ever stored. */
function rangeOf(engine: Engine, query: HistoryQuery): Sql | undefined {
  const { clinic, type, id, among } = query
  if (among !== undefined) return listedOnes(engine, query, among.versions)
  if (type === undefined) {
    const clinicId = engine.names.clinic(clinic)
    return clinicId === undefined ? undefined : sql`v.clinic = ${clinicId}`
  }
  const typeId = engine.names.type(clinic, type)
  if (typeId === undefined || id === undefined) return typeId === undefined ? undefined : sql`v.type = ${typeId}`
  const row = engine.db.get<[number]>('SELECT row FROM resource WHERE type = ? AND id = ?', typeId, id)?.[0]
  return row === undefined ? undefined : sql`v.row = ${row}`
}

type ListedRow = readonly [type: number, id: string, version: number | null]

/** Selects listed versions. Types are interned per clinic, so only versions of the clinic are found. */
function listedOnes(
  { names }: Engine,
  { clinic, type, id }: HistoryQuery,
  versions: readonly ListedVersion[],
): Sql | undefined {
  const rows = versions.flatMap((listed): readonly ListedRow[] => {
    const isAsked = (type === undefined || listed.type === type) && (id === undefined || listed.id === id)
    const typeId = isAsked ? names.type(clinic, listed.type) : undefined
    return typeId === undefined ? [] : [[typeId, listed.id, listed.version ?? null]]
  })
  if (rows.length === 0) return undefined
  const whole = rows.filter(([, , version]) => version === null)
  const single = rows.filter(([, , version]) => version !== null)
  return sql`v.seq IN (${listedIn(whole, ALWAYS)} UNION ALL ${listedIn(single, raw('n.version = listed.value ->> 2'))})`
}

const listedIn = (rows: readonly ListedRow[], isListed: Sql): Sql => sql`
  SELECT n.seq
  FROM json_each(${JSON.stringify(rows)}) AS listed
    CROSS JOIN resource AS r ON r.type = listed.value ->> 0 AND r.id = listed.value ->> 1
    CROSS JOIN version AS n ON n.row = r.row AND ${isListed}
  WHERE ${visited(raw('n.seq'))}`

function timeTest({ since, at }: HistoryQuery): Sql {
  return and([
    since === undefined ? ALWAYS : sql`v.updated >= ${since}`,
    at === undefined
      ? ALWAYS
      : sql`v.updated <= ${at.to} AND NOT EXISTS (
      SELECT 1 FROM version AS n WHERE n.row = v.row AND n.version = v.version + 1 AND n.updated <= ${at.from})`,
  ])
}

interface VersionKey {
  readonly seq: number
  readonly updated: number
}

/**
 * Keys in order of time, then sequence: time never decreases from version to version of a resource, and has an index.
 */
const versionKeys = (engine: Engine, where: Sql, limit: number): readonly VersionKey[] =>
  engine.db
    .select<[number, number]>(
      sql`SELECT v.seq, v.updated FROM version AS v WHERE ${where} ORDER BY v.updated DESC, v.seq DESC ${limitedTo(limit)}`,
    )
    .map(([seq, updated]) => ({ seq, updated }))

/** @throws InvalidCursor */
function cursorTest(query: HistoryQuery): Sql {
  if (query.after === undefined) return ALWAYS
  const [updated = null, seq = null] = readKeys(query.after, historyCursorQuery(query), 2)
  if (updated === null || seq === null) throw new InvalidCursor()
  return sql`(v.updated, v.seq) < (${updated}, ${seq})`
}
