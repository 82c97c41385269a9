/** Versions of resources by their address or row. */
import type { ChangeMethod, StoredResource } from '../port.ts'
import { withinLimit } from '../response-limit.ts'
import type { Engine } from './engine.ts'

export type VersionRow = [version: number, updated: number, method: ChangeMethod, text: string]

export function readCurrent(engine: Engine, clinic: string, type: string, id: string): StoredResource | undefined {
  const typeId = engine.names.type(clinic, type)
  if (typeId === undefined) return undefined
  const found = engine.db.get<VersionRow>(
    `SELECT v.version, v.updated, v.method, v.text
     FROM resource AS r CROSS JOIN version AS v ON v.seq = r.seq
     WHERE r.type = ? AND r.id = ?`,
    ...[typeId, id],
  )
  return found && toStored(type, id, found)
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
  return found && toStored(type, id, found)
}

/**
 * The current versions of these resource rows, in the order of `rows`; fewer when their texts are too long together.
 */
export const readRows = (engine: Engine, rows: readonly number[]): readonly StoredResource[] =>
  rows.length === 0 ? [] : withinLimit(versionsOf(engine, CURRENT, rows))

const VERSIONS = `SELECT r.type, r.id, v.version, v.updated, v.method, v.text
  FROM json_each(?) AS wanted CROSS JOIN`
const CURRENT = `${VERSIONS} resource AS r ON r.row = wanted.value CROSS JOIN version AS v ON v.seq = r.seq`

/** These versions, by their sequence numbers, in that order; fewer when their texts are too long together. */
export const readVersions = (engine: Engine, seqs: readonly number[]): readonly StoredResource[] =>
  seqs.length === 0 ? [] : withinLimit(versionsOf(engine, NUMBERED, seqs))

const NUMBERED = `${VERSIONS} version AS v ON v.seq = wanted.value CROSS JOIN resource AS r ON r.row = v.row`

/** One version for each of `wanted`, in that order. */
function* versionsOf(engine: Engine, select: string, wanted: readonly number[]): Generator<StoredResource> {
  const found = engine.db.each<[type: number, id: string, ...VersionRow]>(select, wanted)
  for (const [type, id, ...version] of found) yield toStored(engine.names.textOf(type), id, version)
}

export function toStored(type: string, id: string, [version, lastUpdated, method, text]: VersionRow): StoredResource {
  return { type, id, version, lastUpdated, method, text }
}
