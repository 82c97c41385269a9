/** Versions of resources by their address or row. */
import type { ChangeMethod, StoredResource } from '../port.ts'
import type { Engine } from './engine.ts'

type VersionRow = [version: number, updated: number, method: ChangeMethod, text: string]

export function readCurrent(engine: Engine, clinic: string, type: string, id: string): StoredResource | undefined {
  const typeId = engine.names.type(clinic, type)
  if (typeId === undefined) return undefined
  const found = engine.db.get<VersionRow>(
    `SELECT v.version, v.updated, v.method, v.text
     FROM resource AS r CROSS JOIN version AS v ON v.seq = r.seq
     WHERE r.type = ? AND r.id = ?`,
    ...[typeId, id],
  )
  return found && stored(type, id, found)
}

export function readVersion(
  engine: Engine,
  clinic: string,
  type: string,
  id: string,
  version: number,
): StoredResource | undefined {
  const typeId = engine.names.type(clinic, type)
  if (typeId === undefined) return undefined
  const found = engine.db.get<VersionRow>(
    `SELECT v.version, v.updated, v.method, v.text
     FROM resource AS r CROSS JOIN version AS v ON v.row = r.row
     WHERE r.type = ? AND r.id = ? AND v.version = ?`,
    ...[typeId, id, version],
  )
  return found && stored(type, id, found)
}

/** The current versions of these resource rows, in the order of `rows`. */
export function readRows(engine: Engine, rows: readonly number[]): readonly StoredResource[] {
  if (rows.length === 0) return []
  const found = engine.db.all<[row: number, type: number, id: string, ...VersionRow]>(
    `SELECT r.row, r.type, r.id, v.version, v.updated, v.method, v.text
     FROM json_each(?) AS wanted
       CROSS JOIN resource AS r ON r.row = wanted.value
       CROSS JOIN version AS v ON v.seq = r.seq`,
    JSON.stringify(rows),
  )
  const byRow = new Map(
    found.map(([row, type, id, ...version]) => [row, stored(engine.names.textOf(type), id, version)]),
  )
  return rows.flatMap((row) => byRow.get(row) ?? [])
}

export function stored(type: string, id: string, [version, lastUpdated, method, text]: VersionRow): StoredResource {
  return { type, id, version, lastUpdated, method, text }
}
