/**
 * A SQLite file beside that of the resources, with its own tables: one connection, either for writing or for reading
 * only.
 */
import { Database } from './connection.ts'
import { OtherForm, toStoreError } from './faults.ts'

export interface SideFileForm {
  /** Name of the content, for messages: `audit trail`. */
  readonly name: string
  /**
   * Statements that take the tables from no version to version 1, from version 1 to 2, and so on. The number of
   * executed steps is in SQLite's user_version.
   */
  readonly steps: readonly string[]
  /** KiB of pages that the writing connection keeps in memory. */
  readonly cache: number
}

/**
 * NORMAL: a commit does not wait for the disk. Commits survive the end of the process; when the machine loses power,
 * those since the last checkpoint may be lost.
 */
const writing = (cache: number): string => `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -${cache};
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
`

export interface SideFileOptions {
  /** A file, or ':memory:'. */
  readonly path: string
  readonly use: 'write' | 'read'
}

export abstract class SideFile<Order> {
  readonly #db: Database
  readonly #form: SideFileForm

  /** @throws StoreUnavailable when the file cannot be opened, OtherForm when it has tables of another version */
  constructor({ path, use }: SideFileOptions, form: SideFileForm) {
    this.#form = form
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

  /** Writes all or none. @throws StoreUnavailable */
  abstract write(order: Order): void

  /**
   * Removes some of what is no longer kept, so that others can write between calls.
   * @param now milliseconds since 1970 UTC
   * @returns whether there may be more
   * @throws StoreUnavailable
   */
  abstract removeSome(now: number): boolean

  /** False for a file in which this version has not written yet: the first write migrates it. */
  get hasTables(): boolean {
    return this.query((db) => versionOf(db) === this.#form.steps.length && isOfForm(db, this.#form))
  }

  /** @throws StoreUnavailable */
  protected query<T>(work: (db: Database) => T): T {
    try {
      return work(this.#db)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  /** Runs `work` in one transaction. @throws StoreUnavailable */
  protected change<T>(work: (db: Database) => T): T {
    return this.query((db) => db.exclusive(() => work(db)))
  }

  close(): void {
    this.#db.close()
  }
}

/** @throws OtherForm, StoreUnavailable, or SQLite's own error */
function prepare(db: Database, path: string, form: SideFileForm): void {
  const { name, steps, cache } = form
  // Read before anything is set: another program's file stays as it is.
  if (!isOfForm(db, form)) {
    throw new OtherForm(`The ${name} in ${path} has tables that this version of the server does not know`)
  }
  db.script(writing(cache))
  db.exclusive(() => {
    const missing = steps.slice(versionOf(db))
    for (const step of missing) db.script(step)
    if (missing.length > 0) db.script(`PRAGMA user_version = ${steps.length}`)
  })
}

const versionOf = (db: Database): number => db.get<[number]>('PRAGMA user_version')?.[0] ?? 0

/** True when the tables are those of their version. */
function isOfForm(db: Database, { steps }: SideFileForm): boolean {
  const version = versionOf(db)
  if (version > steps.length) return false
  const script = steps.slice(0, version).join(';')
  const columns = columnsOf.get(script) ?? columnsAfter(script)
  columnsOf.set(script, columns)
  return columnsIn(db) === columns
}

/** Expected columns by script; each script is run once in memory. */
const columnsOf = new Map<string, string>()

function columnsAfter(script: string): string {
  const model = new Database(':memory:')
  model.script(script)
  const columns = columnsIn(model)
  model.close()
  return columns
}

/** The tables and their columns, as a text. */
const columnsIn = (db: Database): string =>
  JSON.stringify(
    db.all<readonly [string, string]>(
      `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
       WHERE m.type = 'table' ORDER BY m.name, c.name`,
    ),
  )
