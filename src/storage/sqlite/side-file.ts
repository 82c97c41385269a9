/** A SQLite file beside that of the resources, with tables of its own: one connection, which writes it or only reads it. */
import { StoreUnavailable } from '../port.ts'
import { Database } from './connection.ts'
import { toStoreError } from './faults.ts'

export interface SideFileForm {
  /** What it holds, to begin a sentence with: `The audit trail`. */
  readonly what: string
  /** Of its tables, in SQLite's user_version. */
  readonly version: number
  readonly tables: string
  /** Statements that bring the tables of version 1 to 2, of 2 to 3, and so on. */
  readonly upgrades?: readonly string[]
  /** KiB of pages that the connection that writes keeps in memory. */
  readonly cache: number
}

/**
 * NORMAL: a commit waits for no disk. What is committed survives the end of the process; when the machine loses its power,
 * what was written since the last checkpoint may be lost.
 */
const writing = (cache: number): string => `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -${cache};
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
`

export class SideFile {
  readonly #db: Database
  readonly #version: number

  /** @throws StoreUnavailable when the file cannot be opened, or was written by a newer version of the server */
  constructor(path: string, use: 'write' | 'read', form: SideFileForm) {
    this.#version = form.version
    let db: Database | undefined
    try {
      db = new Database(path)
      if (use === 'read') db.configureForReading()
      else prepare(db, path, form)
      this.#db = db
    } catch (error) {
      db?.close()
      throw toStoreError(error)
    }
  }

  /** False for a file in which nothing was ever written, or not by this version: it is brought up to date by a write. */
  get hasTables(): boolean {
    return this.read((db) => versionOf(db) === this.#version)
  }

  /** @throws StoreUnavailable */
  read<T>(work: (db: Database) => T): T {
    try {
      return work(this.#db)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  /** In one transaction. @throws StoreUnavailable */
  write<T>(work: (db: Database) => T): T {
    return this.read((db) => db.exclusive(() => work(db)))
  }

  close(): void {
    this.#db.close()
  }
}

/** @throws StoreUnavailable, or SQLite's own error */
function prepare(db: Database, path: string, { what, version, tables, upgrades = [], cache }: SideFileForm): void {
  // Read before anything is set: another program's file stays as it is.
  const before = versionOf(db)
  if (before > version) {
    throw new StoreUnavailable(
      `${what} in ${path} was written by a newer version of the server (version ${before}, this one knows ${version})`,
    )
  }
  db.script(writing(cache))
  db.exclusive(() => {
    const found = versionOf(db)
    if (found === version) return
    for (const statement of found === 0 ? [tables] : upgrades.slice(found - 1)) db.script(statement)
    db.script(`PRAGMA user_version = ${version}`)
  })
}

const versionOf = (db: Database): number => db.get<[number]>('PRAGMA user_version')?.[0] ?? 0
