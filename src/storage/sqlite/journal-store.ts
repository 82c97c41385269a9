/** The journal in a SQLite file of its own: the values to find entries by, their content, and the limits of each clinic. */
import { MILLISECONDS_PER_DAY } from '../audit-port.ts'
import type {
  FoundEntry,
  JournalBounds,
  JournalEntry,
  JournalFilter,
  JournalPage,
  JournalScan,
  JournalStore,
  Kept,
  MeasurePage,
} from '../journal-port.ts'
import type { Database } from './connection.ts'
import type { SideKind } from './side-store.ts'
import { openSideStore, SideFile, type SideFileForm, type SideFileOptions } from './side-store.ts'
import type { SqlValue } from './sql.ts'

/** Details are in a table of their own, so that a list does not read them. */
const TABLES = `
  CREATE TABLE clinic (
    clinic TEXT PRIMARY KEY,
    last INTEGER NOT NULL,
    days INTEGER NOT NULL,
    entries INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE exchange (
    clinic TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    gap INTEGER NOT NULL,
    run TEXT NOT NULL,
    call TEXT NOT NULL,
    status INTEGER NOT NULL,
    path TEXT NOT NULL,
    type TEXT NOT NULL,
    summary TEXT NOT NULL,
    PRIMARY KEY (clinic, number)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX exchange_by_id ON exchange (clinic, id);
  CREATE TABLE detail (
    clinic TEXT NOT NULL,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (clinic, number)
  ) STRICT;
`

/** The audience of older entries is unknown, so only operators may read them. */
const AUDIENCES = "ALTER TABLE exchange ADD COLUMN audience TEXT NOT NULL DEFAULT 'operator'"

const FAULTS = "ALTER TABLE exchange ADD COLUMN fault TEXT NOT NULL DEFAULT ''"

const MEASURES = `
  ALTER TABLE exchange ADD COLUMN method TEXT NOT NULL DEFAULT '';
  ALTER TABLE exchange ADD COLUMN direction TEXT NOT NULL DEFAULT '';
  ALTER TABLE exchange ADD COLUMN user TEXT NOT NULL DEFAULT '';
  ALTER TABLE exchange ADD COLUMN operation TEXT NOT NULL DEFAULT '';
  ALTER TABLE exchange ADD COLUMN duration REAL NOT NULL DEFAULT 0;
  ALTER TABLE exchange ADD COLUMN words TEXT NOT NULL DEFAULT '';
`

const TRACES = "ALTER TABLE exchange ADD COLUMN trace TEXT NOT NULL DEFAULT ''"

const FORM: SideFileForm = { name: 'journal', steps: [TABLES, AUDIENCES, FAULTS, MEASURES, TRACES], cache: 2048 }

/** Milliseconds between two removals of excess entries. */
const REMOVE_EVERY = 600_000
/** Most entries of a clinic removed in one commit. */
const REMOVED_AT_A_TIME = 500
/** Each write removes at most this many entries more than it adds, so a large excess is removed gradually. */
const SOME = 20

type ScannedRow = readonly [number: number, summary: string | null]
type MeasuredRow = readonly [
  ...[number: number, fits: number, at: number, status: number, duration: number],
  ...[method: string, user: string, operation: string],
]

/** Entries to be written together, and the limits of their clinics. */
interface JournalOrder {
  readonly entries: readonly JournalEntry[]
  readonly kept: ReadonlyMap<string, Kept>
}

class JournalFile extends SideFile<JournalOrder> {
  constructor(options: SideFileOptions) {
    super(options, FORM)
  }

  write({ entries, kept }: JournalOrder): void {
    this.change((db) => {
      for (const [clinic, own] of Map.groupBy(entries, (entry) => entry.clinic)) {
        const keep = kept.get(clinic)
        const last = this.#insert(db, clinic, own)
        db.run(
          `INSERT INTO clinic VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (clinic) DO UPDATE SET last = ?2, days = ?3, entries = ?4`,
          clinic,
          last,
          keep?.days ?? 1,
          keep?.entries ?? 1,
        )
        const most = Math.min(own.length + SOME, REMOVED_AT_A_TIME)
        if (keep !== undefined) removeOld(db, { clinic, last, ...keep }, Date.now(), most)
      }
    })
  }

  /** @returns the number of the last one */
  #insert(db: Database, clinic: string, entries: readonly JournalEntry[]): number {
    let number = db.get<[number]>('SELECT last FROM clinic WHERE clinic = ?', clinic)?.[0] ?? 0
    for (const { id, at, isGap, run, call, status, path, type, summary, audience, fault, detail, ...rest } of entries) {
      number += 1
      const found = [run, call, status, path, type] as const
      const { method, direction, user, operation, duration, words, trace } = rest
      const later = [method, direction, user, operation, duration, words, trace] as const
      db.run(
        'INSERT INTO exchange VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        clinic,
        number,
        id,
        at,
        isGap ? 1 : 0,
        ...found,
        summary,
        audience,
        fault,
        ...later,
      )
      if (detail !== '') db.run('INSERT INTO detail VALUES (?, ?, ?)', clinic, number, detail)
    }
    return number
  }

  /** Removes some of the excess entries of every clinic. */
  removeSome(now: number): boolean {
    return this.change((db) => {
      const clinics = db.all<readonly [string, number, number, number]>(
        'SELECT clinic, last, days, entries FROM clinic',
      )
      return clinics
        .map(([clinic, last, days, entries]) => removeOld(db, { clinic, last, days, entries }, now, REMOVED_AT_A_TIME))
        .some((isMore) => isMore)
    })
  }

  /** @throws StoreUnavailable */
  scan(scan: JournalScan): JournalPage {
    const rows = this.#rows<ScannedRow>(scan, (fits) => `CASE WHEN gap = 1 OR (${fits}) THEN summary END`)
    const entries = rows.flatMap(([number, summary]) => (summary === null ? [] : [{ number, summary }]))
    return { entries, ...nextOf(rows, scan.limit) }
  }

  /** @throws StoreUnavailable */
  measure(scan: JournalScan): MeasurePage {
    const columns = 'at, status, duration, method, user, operation'
    const rows = this.#rows<MeasuredRow>(scan, (fits) => `gap = 0 AND (${fits}), ${columns}`)
    const measures = rows.flatMap(([number, fits, at, status, duration, method, user, operation]) =>
      fits === 0 ? [] : [{ number, at, status, duration, method, user, operation }],
    )
    const oldest = rows.at(-1)?.[2]
    return { measures, ...nextOf(rows, scan.limit), ...(oldest === undefined ? {} : { oldest }) }
  }

  /** The entries examined. @param columns by the condition that an entry must meet */
  #rows<Row extends readonly SqlValue[]>(
    { clinic, order, after, filter, limit }: JournalScan,
    columns: (fits: string) => string,
  ): readonly Row[] {
    const isNewestFirst = order === 'newest first'
    const { text, values } = conditionOf(filter)
    const bound = after ?? (isNewestFirst ? Number.MAX_SAFE_INTEGER : 0)
    return this.query((db) =>
      db.all<Row>(
        `SELECT number, ${columns(text)} FROM exchange
         WHERE clinic = ? AND number ${isNewestFirst ? '<' : '>'} ?
         ORDER BY number ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT ?`,
        ...values,
        clinic,
        bound,
        limit,
      ),
    )
  }

  /** Names the index, as SQLite would go through all entries of the clinic. @throws StoreUnavailable */
  read(clinic: string, ids: readonly string[]): readonly FoundEntry[] {
    const rows = this.query((db) =>
      db.all<readonly [string, number, string, string, string | null]>(
        `SELECT id, number, summary, audience,
                (SELECT text FROM detail d WHERE d.clinic = e.clinic AND d.number = e.number)
         FROM exchange AS e INDEXED BY exchange_by_id
         WHERE clinic = ? AND id IN (SELECT value FROM json_each(?))`,
        clinic,
        JSON.stringify(ids),
      ),
    )
    return rows.map(([id, number, summary, audience, detail]) => ({
      id,
      number,
      summary,
      audience,
      detail: detail ?? '',
    }))
  }

  /** @throws StoreUnavailable */
  bounds(clinic: string): JournalBounds {
    return this.query((db) => {
      const last = db.get<[number]>('SELECT last FROM clinic WHERE clinic = ?', clinic)?.[0] ?? 0
      const first = db.get<[number | null]>('SELECT min(number) FROM exchange WHERE clinic = ?', clinic)?.[0]
      return { first: first ?? 0, last }
    })
  }
}

export const JOURNAL_FILE: SideKind<JournalOrder, JournalFile> = {
  ...{ name: FORM.name, ending: 'journal', removeEvery: REMOVE_EVERY },
  open: (options) => new JournalFile(options),
}

/** Where the next scan begins. */
function nextOf(rows: readonly (readonly SqlValue[])[], limit: number): { readonly next?: number } {
  const last = rows.at(-1)
  return last === undefined || rows.length < limit ? {} : { next: Number(last[0]) }
}

const NOTHING: JournalPage = { entries: [] }
const NO_BOUNDS: JournalBounds = { first: 0, last: 0 }

/**
 * @param path of the file of the resources, or ':memory:'
 * @param onNotice receives notices for the server's log
 */
export function openSqliteJournalStore(path: string, onNotice: (notice: string) => void): JournalStore {
  const { read, write, ...store } = openSideStore(JOURNAL_FILE, path, { kind: 'journal' }, onNotice)
  return {
    ...store,
    write: (entries, kept) => write({ entries, kept }),
    scan: async (scan) => (await read((file) => file.scan(scan))) ?? NOTHING,
    measure: async (scan) => (await read((file) => file.measure(scan))) ?? { measures: [] },
    read: async (clinic, ids) => (await read((file) => file.read(clinic, ids))) ?? [],
    bounds: async (clinic) => (await read((file) => file.bounds(clinic))) ?? NO_BOUNDS,
  }
}

/** The limits of a clinic, whose newest entry has the number `last`. */
interface KeptOf extends Kept {
  readonly clinic: string
  readonly last: number
}

/**
 * Removes the oldest entries beyond the limits. As numbers nearly rise with time, an entry is removed only when all
 * before it are.
 * @param most entries that are removed
 * @returns whether there may be more
 */
function removeOld(db: Database, { clinic, last, days, entries }: KeptOf, now: number, most: number): boolean {
  const oldest = db.all<readonly [number, number]>(
    'SELECT number, at FROM exchange WHERE clinic = ? ORDER BY number LIMIT ?',
    clinic,
    most,
  )
  const kept = oldest.findIndex(([number, at]) => number > last - entries && at >= now - days * MILLISECONDS_PER_DAY)
  const removed = kept < 0 ? oldest.length : kept
  const end = oldest[removed - 1]?.[0]
  if (end === undefined) return false
  db.run('DELETE FROM exchange WHERE clinic = ? AND number <= ?', clinic, end)
  db.run('DELETE FROM detail WHERE clinic = ? AND number <= ?', clinic, end)
  return removed === most
}

function conditionOf(filter: JournalFilter): { readonly text: string; readonly values: readonly SqlValue[] } {
  const { status, path, fault, operation, text: words, notRun, since, until, audiences } = filter
  const terms: (readonly [string, ...SqlValue[]] | undefined)[] = [
    ...EQUAL.map((name) => (filter[name] === undefined ? undefined : ([`${name} = ?`, filter[name]] as const))),
    status && ['status BETWEEN ? AND ?', status.from, status.to],
    path === undefined ? undefined : ['substr(path, 1, length(?)) = ?', path, path],
    ...[isAmong('fault', fault), isAmong('operation', operation)],
    words === undefined ? undefined : ['instr(words, ?) > 0', words],
    notRun === undefined ? undefined : ['run <> ?', notRun],
    since === undefined ? undefined : ['at >= ?', since],
    until === undefined ? undefined : ['at < ?', until],
    audiences && ['audience IN (SELECT value FROM json_each(?))', JSON.stringify(audiences)],
  ]
  const given = terms.filter((term) => term !== undefined)
  const text = given.map(([condition]) => condition).join(' AND ')
  return { text: text === '' ? 'TRUE' : text, values: given.flatMap(([, ...values]) => values) }
}

const EQUAL = ['run', 'call', 'trace', 'type', 'method', 'direction', 'user'] as const

/** One of the names in a column. */
const isAmong = (column: string, name: string | undefined): readonly [string, string] | undefined =>
  name === undefined ? undefined : [`instr(',' || ${column} || ',', ',' || ? || ',') > 0`, name]
