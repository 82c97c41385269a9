/**
 * Tracks which types of resources have changed, by any thread or process: every change appends versions (schema.ts),
 * and nothing removes them, so it is enough to read those after the last version seen.
 */
import type { NoticedChanges } from '../port.ts'
import type { Database } from './connection.ts'

/** Most versions examined one by one; where there are more, everything counts as changed. */
const MOST_VERSIONS = 256
/** Most types, over all clinics, recorded as changed; where there are more, everything counts as changed. */
const MOST_TYPES = 10_000

const NEWER = `SELECT v.seq, c.text, t.text FROM version AS v CROSS JOIN name AS t ON t.id = v.type
  CROSS JOIN name AS c ON c.id = v.clinic WHERE v.seq > ? ORDER BY v.seq LIMIT ${MOST_VERSIONS}`
const NEWEST = 'SELECT coalesce(max(seq), 0) FROM version'

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
    const newer = this.#seen === undefined ? [] : this.#db.all<[number, string, string]>(NEWER, this.#seen)
    const isAll = this.#seen !== undefined && newer.length < MOST_VERSIONS && this.#last.size < MOST_TYPES
    if (!isAll) this.#forget()
    else for (const [seq, clinic, type] of newer) this.#changed(seq, clinic, type)
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
