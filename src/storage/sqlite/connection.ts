/** One connection to the SQLite file: prepared statements, transactions, and a limit on the time of statements. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { StoreUnavailable } from '../port.ts'
import { isBusy, Locked } from './faults.ts'
import type { Sql, SqlValue } from './sql.ts'
import { TimeLimit } from './time-limit.ts'
import { VisitedRows } from './visited-rows.ts'

const MAX_STATEMENTS = 400
/**
 * Most characters of all statement texts together. A long list of strings makes a long statement, which takes ten times
 * as much memory.
 */
const MAX_STATEMENT_CHARACTERS = 1_000_000
/** Rows between two checks of the clock: a few million are visited in a second. */
const LOOK_EVERY = 32
const KEYS_AT_A_TIME = 16
/** Most milliseconds that this process is blocked while another one has the lock. */
const BUSY_TIMEOUT = 5_000
/** Milliseconds until the lock is tried again. */
const RETRY_AFTER = 1

const EVERY_CONNECTION = `
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
`

/**
 * Pages are read through a memory map, so the page cache can be small. Used for one connection of a process only: the
 * pages of each map count as its memory, even those of the same file.
 */
const MAP = 'PRAGMA mmap_size = 134217728'

/**
 * WAL with FULL: a commit is on the disk before it is acknowledged. The log is copied into the file every 16,000 pages
 * (64 MB): each page once, however often it was written meanwhile. A pause in commits is used to do that earlier
 * (checkpoint). With a cache half as large, transactions of some thousand resources write pages twice.
 */
const WRITING = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -16384;
  PRAGMA wal_autocheckpoint = 16000;
  PRAGMA journal_size_limit = 67108864;
`

const READING = `
  PRAGMA cache_size = -8192;
  PRAGMA query_only = ON;
`

/** One connection. Errors of SQLite pass through unchanged; faults.ts turns them into errors of the port. */
export class Database {
  /**
   * The limit for statements that call `within_time`, which counts the rows they visit; also checked between
   * statements.
   */
  readonly limit = new TimeLimit()
  readonly visited = new VisitedRows()
  readonly #connection: DatabaseSync
  readonly #statements = new LRUCache<string, StatementSync>({
    max: MAX_STATEMENTS,
    maxSize: MAX_STATEMENT_CHARACTERS,
    sizeCalculation: (_statement, text) => text.length,
  })

  /**
   * `path` is a file, whose folder is created when it is missing, or ':memory:'.
   * @throws StoreUnavailable when the folder cannot be created, or the path is that of a device, or SQLite's own error
   */
  constructor(path: string) {
    if (path !== ':memory:') {
      makeFolder(dirname(path))
      checkKind(path)
      keepPrivate(path)
    }
    this.#connection = new DatabaseSync(path, {
      timeout: BUSY_TIMEOUT,
      enableForeignKeyConstraints: false,
      returnArrays: true,
    })
    this.#connection.function('within_time', { directOnly: true }, (_column) => {
      if (this.visited.count % LOOK_EVERY === 0) this.limit.check()
      return this.visited.visit()
    })
  }

  configure(): void {
    this.#connection.exec(EVERY_CONNECTION + WRITING)
  }

  /** Configures a connection that only reads, beside one that writes. */
  configureForReading(): void {
    this.#connection.exec(EVERY_CONNECTION + READING)
  }

  /** See MAP. */
  useMap(): void {
    this.#connection.exec(MAP)
  }

  /** Copies committed pages from the log into the file, except those that readers of older pages still hold back. */
  checkpoint(): void {
    this.#connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  }

  /** Runs several statements without parameters: definitions and settings. */
  script(text: string): void {
    this.#connection.exec(text)
  }

  /** All rows, as tuples in the order of the selected columns. */
  all<Row extends readonly SqlValue[]>(text: string, ...values: readonly SqlValue[]): readonly Row[] {
    this.limit.check()
    return this.#prepared(text).all(...values) as unknown as readonly Row[]
  }

  /**
   * The rows for `keys`, which the statement takes as a JSON array, in their order. A few are read at a time, which is
   * faster than one by one, so a caller that stops early has not read the rest.
   */
  *each<Row extends readonly SqlValue[]>(text: string, keys: readonly number[]): Generator<Row> {
    for (let start = 0; start < keys.length; start += KEYS_AT_A_TIME) {
      yield* this.all<Row>(text, JSON.stringify(keys.slice(start, start + KEYS_AT_A_TIME)))
    }
  }

  get<Row extends readonly SqlValue[]>(text: string, ...values: readonly SqlValue[]): Row | undefined {
    this.limit.check()
    return this.#prepared(text).get(...values) as unknown as Row | undefined
  }

  select<Row extends readonly SqlValue[]>(query: Sql): readonly Row[] {
    return this.all<Row>(query.text, ...query.values)
  }

  /** The single number that a query returns. */
  number(query: Sql): number {
    return this.get<[number]>(query.text, ...query.values)?.[0] ?? 0
  }

  /** Runs a statement. @returns the number of the row inserted last */
  run(text: string, ...values: readonly SqlValue[]): number {
    return Number(this.#prepared(text).run(...values).lastInsertRowid)
  }

  /** Runs `work` so that every statement sees the same state, whatever other processes commit meanwhile. */
  snapshot<T>(work: () => T): T {
    return this.#connection.isTransaction ? work() : this.#transaction('BEGIN', work)
  }

  /**
   * Runs `work` in a transaction, which is committed (on the disk) when it returns; nothing is written when it throws.
   * It blocks this process while another one has the lock, so it is for the start of the server only.
   * @throws Locked after BUSY_TIMEOUT, and whatever `work` throws
   */
  exclusive<T>(work: () => T): T {
    for (const deadline = Date.now() + BUSY_TIMEOUT; ; sleep(RETRY_AFTER)) {
      try {
        return this.exclusiveNow(work)
      } catch (error) {
        if (!(error instanceof Locked) || Date.now() > deadline) throw error
      }
    }
  }

  /**
   * Like `exclusive`, without waiting. SQLite's own wait would block the process, including its reads: beside two
   * processes that write all the time, for seconds.
   * @throws Locked where another process is writing at this moment, and whatever `work` throws
   */
  exclusiveNow<T>(work: () => T): T {
    this.#beginNow()
    return this.#commitAfter(work)
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction
  }

  close(): void {
    this.#statements.clear()
    this.#connection.close()
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.run(begin)
    return this.#commitAfter(work)
  }

  #beginNow(): void {
    this.run('PRAGMA busy_timeout = 0')
    try {
      this.run('BEGIN IMMEDIATE')
    } catch (error) {
      throw isBusy(error) ? new Locked() : error
    } finally {
      this.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
    }
  }

  /** Runs `work`, then commits the open transaction or rolls it back. */
  #commitAfter<T>(work: () => T): T {
    try {
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      // A full disk may have rolled back already.
      if (this.#connection.isTransaction) this.run('ROLLBACK')
      throw error
    }
  }

  #prepared(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the process for `milliseconds`. */
const sleep = (milliseconds: number): unknown => Atomics.wait(sleeper, 0, 0, milliseconds)

/**
 * Creates a folder level by level: Node's mkdir with `recursive` never ends where the system reports ENOENT in an
 * existing folder, as in /proc.
 * @throws StoreUnavailable
 */
function makeFolder(path: string): void {
  if (kindOf(path) === 'folder') return
  const above = dirname(path)
  if (above !== path) makeFolder(above)
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (kindOf(path) === 'folder') return
    throw new StoreUnavailable(`The folder ${path} is not there, and this process cannot make it`, { cause: error })
  }
}

/** Modes under which only the user of the server can read patient data, whatever its umask. */
export const PRIVATE_FILE = 0o600
export const PRIVATE_FOLDER = 0o700
/** Suffixes of the file and of SQLite's own files beside it, which SQLite creates with the mode of the first. */
export const PARTS = ['', '-wal', '-shm']

/** Creates the file where there is none, and closes it to other users. */
function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', PRIVATE_FILE))
    for (const part of PARTS) if (kindOf(`${path}${part}`) === 'file') closeToOthers(`${path}${part}`)
  } catch {
    // A file of another user, or on a read-only disk: SQLite finds out whether it can be used, and reports why not.
  }
}

function closeToOthers(path: string): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE_FILE)
}

/** Refuses devices and pipes, which SQLite would open, with unpredictable results. @throws StoreUnavailable */
function checkKind(path: string): void {
  if (kindOf(path) === 'device or pipe')
    throw new StoreUnavailable('It is a device or a pipe; the database must be a file')
}

/** Undefined where there is nothing, or nothing visible to this process. */
function kindOf(path: string): 'file' | 'folder' | 'device or pipe' | undefined {
  try {
    const found = statSync(path)
    if (found.isDirectory()) return 'folder'
    return found.isFile() ? 'file' : 'device or pipe'
  } catch {
    return undefined
  }
}
