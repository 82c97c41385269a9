/** Versions of resources: by their address or row, and the types of which there are new ones. */
import type { ChangeMethod, NoticedChanges, StoredResource } from '../port.ts'
import { withinLimit } from '../response-limit.ts'
import type { Database } from './connection.ts'
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

/** Most versions examined one by one; where there are more, everything counts as changed. */
const MOST_VERSIONS = 256
/** Most types, over all clinics, recorded as changed; where there are more, everything counts as changed. */
const MOST_TYPES = 10_000

const NEWER = `SELECT v.seq, c.text, t.text FROM version AS v LEFT JOIN name AS t ON t.id = v.type
  LEFT JOIN name AS c ON c.id = v.clinic WHERE v.seq > ? ORDER BY v.seq LIMIT ${MOST_VERSIONS}`
type NewVersion = [seq: number, clinic: string | null, type: string | null]
const hasType = (version: NewVersion): version is [number, string, string] => version[2] !== null

const NEWEST = 'SELECT coalesce(max(seq), 0) FROM version'

/**
 * Tracks which types of resources have changed, by any thread or process: every change appends versions (schema.ts),
 * so it is enough to read those after the last version seen. Where a clinic was dropped, there is one without a type,
 * and everything counts as changed.
 */
export class ChangeLog implements NoticedChanges {
  readonly #db: Database
  /** The last version of any resource of a type, by clinic and type; absent: `#rest`. */
  readonly #last = new Map<string, number>()
  #rest = 0
  /** The last version seen; undefined before the first call of `notice`. */
  #seen: number | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** @throws the error of SQLite */
  notice(): NoticedChanges {
    const newer = this.#seen === undefined ? undefined : this.#db.all<NewVersion>(NEWER, this.#seen)
    const isAll = newer !== undefined && newer.length < MOST_VERSIONS && this.#last.size < MOST_TYPES
    const known = newer?.filter(hasType) ?? []
    if (!isAll || known.length < newer.length) this.#forget()
    else for (const [seq, clinic, type] of known) this.#changed(seq, clinic, type)
    return this
  }

  last(clinic: string, types: readonly string[]): number {
    let last = this.#rest
    for (const type of types) last = Math.max(last, this.#last.get(keyOf(clinic, type)) ?? 0)
    return last
  }

  #changed(seq: number, clinic: string, type: string): void {
    this.#last.set(keyOf(clinic, type), seq)
    this.#seen = seq
  }

  #forget(): void {
    this.#last.clear()
    this.#rest = this.#db.get<[number]>(NEWEST)?.[0] ?? 0
    this.#seen = this.#rest
  }
}

const keyOf = (clinic: string, type: string): string => `${clinic} ${type}`
