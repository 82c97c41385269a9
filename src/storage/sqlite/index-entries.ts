/** Index entries of a resource as rows of the index tables, and the minimal writes for a change. */
import type { IndexEntry, InnerEntry, PartEntry } from '../../search/plan.ts'
import { compositeKey } from '../composite-key.ts'
import type { Database } from './connection.ts'
import type { InternedNames } from './interned-names.ts'
import type { SqlValue } from './sql.ts'
import { listAddedWords } from './word-lists.ts'

export type IndexTable =
  | 'string_index'
  | 'word_index'
  | 'token_index'
  | 'key_list'
  | 'key_index'
  | 'reference_index'
  | 'uri_index'
  | 'range_index'
  | 'position_index'
  | 'composite_index'
  | 'combined_index'

/** Values of the columns after `row`, the parameter first. */
export type IndexRow = readonly [param: number, ...values: SqlValue[]]
type TableRow = readonly [IndexTable, IndexRow]
export type IndexRows = ReadonlyMap<IndexTable, readonly IndexRow[]>

const COLUMNS: Readonly<Record<IndexTable, readonly string[]>> = {
  string_index: ['param', 'folded', 'exact'],
  word_index: ['param', 'words'],
  token_index: ['param', 'code', 'system'],
  key_list: ['param', 'codes'],
  key_index: ['param', 'code'],
  reference_index: ['param', 'target', 'version'],
  uri_index: ['param', 'value'],
  range_index: ['param', 'low', 'high', 'system', 'code'],
  position_index: ['param', 'latitude', 'longitude'],
  composite_index: ['param', 'shape', 'text', 'more', 'low', 'rest'],
  combined_index: ['param', 'first', 'second', 'low', 'high'],
}

/** Tables that are not clustered by row; their rows for a resource follow from the other tables. */
const DERIVED: ReadonlySet<IndexTable> = new Set(['combined_index', 'key_index'])

/** The tables that hold entries. */
export const ENTRY_TABLES = (Object.keys(COLUMNS) as IndexTable[]).filter((table) => !DERIVED.has(table))

const MOST_COLUMNS = Math.max(...ENTRY_TABLES.map((table) => COLUMNS[table].length))

/** Most rows that one statement inserts: a call of SQLite takes as long as the insertion of a row. */
const AT_ONCE = 16

/**
 * INSERT statements by the number of rows minus one. The same value found twice in a resource is one row. FAIL: other
 * errors end the transaction in any case, and otherwise SQLite keeps a copy of every page that the statement changes.
 */
const INSERTS = Array.from({ length: AT_ONCE }, (_, index) =>
  statements((table, columns) => {
    const places = Array.from({ length: index + 1 }, () => `(?, ${columns.map(() => '?').join(', ')})`)
    return `INSERT OR FAIL INTO ${table} (row, ${columns.join(', ')}) VALUES ${places.join(', ')} ON CONFLICT DO NOTHING`
  }),
)
const DELETE = statements((table, columns) => {
  return `DELETE FROM ${table} WHERE row = ? AND ${columns.map((column) => `${column} = ?`).join(' AND ')}`
})
/**
 * The rows of one resource in all tables: the number of the table, then its columns, then NULL for the missing columns
 * of wider tables.
 */
const SELECT = ENTRY_TABLES.map((table, index) => {
  const columns = Array.from({ length: MOST_COLUMNS }, (_, column) => COLUMNS[table][column] ?? 'NULL')
  return `SELECT ${index}, ${columns.join(', ')} FROM ${table} WHERE row = ?1`
}).join(' UNION ALL ')

function statements(
  text: (table: IndexTable, columns: readonly string[]) => string,
): Readonly<Record<IndexTable, string>> {
  return Object.fromEntries(
    Object.entries(COLUMNS).map(([table, columns]) => [table, text(table as IndexTable, columns)]),
  ) as Record<IndexTable, string>
}

/** The stored rows of a resource, without those of combined_index. */
export function readIndexRows(db: Database, row: number): IndexRows {
  const rows = new Map<IndexTable, IndexRow[]>()
  for (const [index, param, ...others] of db.all<[number, number, ...SqlValue[]]>(SELECT, row)) {
    const table = ENTRY_TABLES[index]
    if (table !== undefined) pushRow(rows, table, [param, ...others.slice(0, COLUMNS[table].length - 1)])
  }
  return rows.set('key_index', (rows.get('key_list') ?? []).flatMap(keyRows))
}

function pushRow(rows: Map<IndexTable, IndexRow[]>, table: IndexTable, row: IndexRow): void {
  const ofTable = rows.get(table)
  if (ofTable === undefined) rows.set(table, [row])
  else ofTable.push(row)
}

/** The rows of key_index to which a row of key_list corresponds. */
const keyRows = ([param, codes]: IndexRow): readonly IndexRow[] =>
  (JSON.parse(String(codes)) as readonly string[]).map((code) => [param, code])

/** The rows of key_list to which rows of key_index correspond. */
const keyLists = (rows: readonly IndexRow[]): readonly IndexRow[] =>
  [...Map.groupBy(rows, ([param]) => param)].map(([param, all]) => [param, JSON.stringify(all.map(([, code]) => code))])

/** Removes old rows and writes new ones; `before` is undefined for a resource that has no rows yet. */
export function writeIndexRows(db: Database, row: number, before: IndexRows | undefined, after: IndexRows): void {
  for (const [table, rows] of before ?? []) {
    for (const values of difference(rows, after.get(table))) db.run(DELETE[table], row, ...values)
  }
  for (const [table, rows] of after) {
    const added = before === undefined ? rows : difference(rows, before.get(table))
    insert(db, table, row, added)
    if (table === 'word_index') listAddedWords(db, row, before?.get(table) ?? [], added)
  }
}

function insert(db: Database, table: IndexTable, row: number, added: readonly IndexRow[]): void {
  for (let start = 0; start < added.length; start += AT_ONCE) {
    const some = added.slice(start, start + AT_ONCE)
    const statement = INSERTS[some.length - 1]?.[table]
    if (statement !== undefined) db.run(statement, ...some.flatMap((values) => [row, ...values]))
  }
}

function difference(rows: readonly IndexRow[], others: readonly IndexRow[] = []): readonly IndexRow[] {
  if (rows.length === 0) return rows
  const known = new Set(others.map(key))
  return rows.filter((row) => !known.has(key(row)))
}

const key = (row: IndexRow): string => row.join('\u0000')

/**
 * Builds the rows for the entries of one resource; parameters, systems and referenced resources are created as they
 * occur.
 */
export class IndexRowBuilder {
  readonly #names: InternedNames
  readonly #clinic: string
  readonly #type: number
  readonly #target: (type: number, id: string) => number
  readonly #rows = new Map<IndexTable, IndexRow[]>()
  /** The number of entries seen so far, by parameter. */
  readonly #seen = new Map<number, number>()
  #inner: InnerEntry[] | undefined

  /** `target` returns the row of a resource, and creates it where there is none. */
  constructor(names: InternedNames, clinic: string, type: number, target: (type: number, id: string) => number) {
    this.#names = names
    this.#clinic = clinic
    this.#type = type
    this.#target = target
  }

  /** The contained resources, which have rows of their own: see inner-resources.ts. */
  get inner(): readonly InnerEntry[] {
    return this.#inner ?? []
  }

  build(entries: readonly IndexEntry[]): IndexRows {
    for (const entry of entries) {
      if (entry.kind === 'inner') {
        this.#inner ??= []
        this.#inner.push(entry)
        continue
      }
      const param = this.#names.internParam(this.#type, entry.kind, entry.param)
      const repetition = this.#seen.get(param) ?? 0
      this.#seen.set(param, repetition + 1)
      this.#names.learn(param, entry.kind === 'date' ? entry.high - entry.low : 0, repetition > 0)
      for (const [table, row] of this.#rowsOf(param, entry)) pushRow(this.#rows, table, row)
    }
    for (const row of keyLists(this.#rows.get('key_index') ?? [])) pushRow(this.#rows, 'key_list', row)
    return this.#rows
  }

  #rowsOf(param: number, entry: Exclude<IndexEntry, InnerEntry>): readonly TableRow[] {
    switch (entry.kind) {
      case 'string':
        return [['string_index', [param, entry.folded, entry.exact]]]
      case 'words':
        return [['word_index', [param, ` ${entry.words} `]]]
      case 'token':
        return [['token_index', [param, entry.code, this.#system(param, entry.system)]]]
      case 'key':
        return [['key_index', [param, entry.key]]]
      case 'reference':
        return [['reference_index', [param, this.#referenced(entry), entry.version ?? '']]]
      case 'uri':
        return [['uri_index', [param, entry.value]]]
      case 'date':
      case 'number':
        return [['range_index', [param, entry.low, entry.high, 0, '']]]
      case 'quantity':
        return [['range_index', [param, entry.low, entry.high, this.#system(param, entry.system), entry.code]]]
      case 'position':
        return [['position_index', [param, entry.latitude, entry.longitude]]]
      case 'composite':
        return [['composite_index', [param, ...this.#composite(param, entry.parts)]]]
    }
  }

  #composite(param: number, parts: readonly PartEntry[]): readonly SqlValue[] {
    const { shape, text, more, low, rest } = compositeKey(parts)
    return [this.#names.intern(param, shape), text, more, low, JSON.stringify(rest)]
  }

  #system(param: number, system: string): number {
    return system === '' ? 0 : this.#names.intern(param, system)
  }

  #referenced(entry: { readonly type: string; readonly id: string }): number {
    return this.#target(this.#names.internType(this.#clinic, entry.type).type, entry.id)
  }
}
