/** One connection to the SQLite file: prepared statements, transactions, and a limit on the time of statements. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { SNAPSHOT_LASTS } from '../port.ts'
import { isBusy, Locked } from './faults.ts'
import { preparePath } from './private-files.ts'
import type { Sql, SqlValue } from './sql.ts'

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
    if (path !== ':memory:') preparePath(path)
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

  /** Has every statement from now on see the state of this moment, until the connection is closed. */
  beginSnapshot(): void {
    this.run('BEGIN')
    this.get('SELECT 1 FROM name LIMIT 1')
  }

  /** Takes over what another connection has in memory at this moment, as a copy. */
  copyFrom(other: Database): void {
    this.#connection.deserialize(other.#connection.serialize())
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

/** Milliseconds. */
export interface Times {
  /** Limit of a read on the event loop. */
  readonly allowance: number
  /** Limit of a read outside requests. */
  readonly inBackground: number
  /** Limit of the guards of a change set: all other writes wait for them. */
  readonly guards: number
  /** See SNAPSHOT_LASTS. */
  readonly snapshot: number
}

export const TIMES: Times = { allowance: 5, inBackground: 60_000, guards: 1_000, snapshot: SNAPSHOT_LASTS }

/** A statement took longer than it may. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
  /** `left`: the client has left. */
  readonly reason: 'late' | 'left'

  constructor(reason: OutOfTime['reason']) {
    super(reason === 'late' ? 'The time of a statement is up' : 'The client of a statement has left')
    this.reason = reason
  }
}

export interface Limit {
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number
  /** True once the client has left. */
  readonly isAbandoned?: (() => boolean) | undefined
  /** Called when the time is up; false: the work continues, with a later `endsAt`. */
  readonly isOver?: (() => boolean) | undefined
}

const ALWAYS = (): boolean => true

const NONE: Limit = { endsAt: Number.POSITIVE_INFINITY }

/**
 * The time limit of a connection's statements. SQLite has none of its own, so statements that may be long call the
 * function `within_time` for each row that they visit: it throws when the time is up, which ends the statement.
 */
export class TimeLimit {
  #limit = NONE

  /**
   * Ends the statements of `work` when the time is up. A nested limit replaces the outer one.
   * @throws OutOfTime, and whatever `work` throws
   */
  during<T>(limit: Limit, work: () => T): T {
    const before = this.#limit
    this.#limit = limit
    try {
      return work()
    } finally {
      this.#limit = before
    }
  }

  /** @throws OutOfTime */
  check(): void {
    const limit = this.#limit
    if (limit === NONE) return
    const { isAbandoned, isOver = ALWAYS } = limit
    if (Date.now() > limit.endsAt && isOver()) throw new OutOfTime('late')
    if (isAbandoned?.()) throw new OutOfTime('left')
  }
}

/** More rows were visited than an attempt may. */
class TooManyRows extends Error {
  override readonly name = 'TooManyRows'
}

/**
 * Counts the rows that the statements of one connection visit, so that a way to evaluate a search can be given up for
 * another one when it takes long: the decision rests on actual visits, not on statistics that a client could distort.
 */
export class VisitedRows {
  #count = 0
  #most = Number.POSITIVE_INFINITY

  /** Rows visited since the connection was opened. */
  get count(): number {
    return this.#count
  }

  /**
   * Counts one row. @returns 1, which is true in SQL
   * @throws TooManyRows, which ends the statement
   */
  visit(): 1 {
    this.#count += 1
    if (this.#count > this.#most) throw new TooManyRows('An attempt has visited too many rows')
    return 1
  }

  /**
   * Counts rows that a statement has visited without a call for each of them.
   * @throws TooManyRows
   */
  visitAll(rows: number): void {
    this.#count += rows
    if (this.#count > this.#most) throw new TooManyRows('An attempt has visited too many rows')
  }

  /**
   * Ends an attempt (`within`) that has turned out to be more work than another way.
   * @throws TooManyRows
   */
  giveUp(): never {
    throw new TooManyRows('An attempt is given up')
  }

  /** The result of `work`; undefined when its statements would visit more than `rows` rows. */
  within<T extends object | number>(rows: number, work: () => T): T | undefined {
    const outer = this.#most
    this.#most = Math.min(outer, this.#count + rows)
    try {
      return work()
    } catch (error) {
      if (error instanceof TooManyRows && this.#count <= outer) return undefined
      throw error
    } finally {
      this.#most = outer
    }
  }
}
