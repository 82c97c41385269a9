/**
 * Index entries of a resource as rows of the index tables, and the minimal writes for a change.
 *
 * Values are stored once for two parameters: where one parameter of a resource has every value of the other
 * (CoveredParameters), a shared value is a row of the other one only, and a search by the first reads the rows of both.
 */
import { oncePer } from '../../fhir/memoize.ts'
import type { CoveredParameters, IndexEntry, InnerEntry, PartEntry } from '../../search/plan.ts'
import { compositeKey } from '../composite-key.ts'
import type { Database } from './connection.ts'
import type { InternedNames } from './interned-names.ts'
import { raw, type SqlValue } from './sql.ts'

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

/** The table of each kind of entry. */
export const TABLES: Readonly<Record<Exclude<IndexEntry, InnerEntry>['kind'], IndexTable>> = {
  string: 'string_index',
  words: 'word_index',
  token: 'token_index',
  key: 'key_index',
  reference: 'reference_index',
  uri: 'uri_index',
  date: 'range_index',
  number: 'range_index',
  quantity: 'range_index',
  position: 'position_index',
  composite: 'composite_index',
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
    if (statement === undefined) continue
    const values: SqlValue[] = []
    for (const one of some) values.push(row, ...one)
    db.run(statement, ...values)
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

  /** The contained resources, which have rows of their own: see writeInnerResources. */
  get inner(): readonly InnerEntry[] {
    return this.#inner ?? []
  }

  build(entries: readonly IndexEntry[]): IndexRows {
    let before: IndexEntry | undefined
    let param = 0
    for (const entry of entries) {
      if (entry.kind === 'inner') {
        this.#inner ??= []
        this.#inner.push(entry)
        continue
      }
      // Entries of a parameter follow each other.
      if (entry.param !== before?.param || entry.kind !== before.kind) {
        param = this.#names.internParam(this.#type, entry.kind, entry.param)
      }
      before = entry
      const repetition = this.#seen.get(param) ?? 0
      this.#seen.set(param, repetition + 1)
      this.#names.learn(param, entry.kind === 'date' ? entry.high - entry.low : 0, repetition > 0)
      pushRow(this.#rows, TABLES[entry.kind], this.#rowOf(param, entry))
    }
    for (const row of keyLists(this.#rows.get('key_index') ?? [])) pushRow(this.#rows, 'key_list', row)
    return this.#rows
  }

  #rowOf(param: number, entry: Exclude<IndexEntry, InnerEntry>): IndexRow {
    switch (entry.kind) {
      case 'string':
        return [param, entry.folded, entry.exact]
      case 'words':
        return [param, ` ${entry.words} `]
      case 'token':
        return [param, entry.code, this.#system(param, entry.system)]
      case 'key':
        return [param, entry.key]
      case 'reference':
        return [param, this.#referenced(entry), entry.version ?? '']
      case 'uri':
        return [param, entry.value]
      case 'date':
      case 'number':
        return [param, entry.low, entry.high, 0, '']
      case 'quantity':
        return [param, entry.low, entry.high, this.#system(param, entry.system), entry.code]
      case 'position':
        return [param, entry.latitude, entry.longitude]
      case 'composite':
        return [param, ...this.#composite(param, entry.parts)]
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

type Covered = CoveredParameters[string]
type Comparable = Extract<IndexEntry, { kind: 'string' | 'token' }>

/** `code` and the parameters that it covers, each with the suffix after the colon, such as `code:text`. */
export function withCovered(covered: CoveredParameters, typeName: string, code: string): readonly string[] {
  const ofType = covered[typeName]
  if (ofType === undefined) return [code]
  const [param = code, ...rest] = code.split(':')
  return [code, ...(ofType[param] ?? []).map((other) => [other, ...rest].join(':'))]
}

/** The entries, without those that are found by another parameter. */
export function uncovered(covered: Covered | undefined, entries: readonly IndexEntry[]): readonly IndexEntry[] {
  if (covered === undefined) return entries
  const covering = coveringOf(covered)
  const values = new Map<string, Set<string>>()
  for (const entry of entries) {
    if (!isComparable(entry) || !covering.has(partsOf(entry.param)[0])) continue
    const ofParam = values.get(entry.param)
    if (ofParam === undefined) values.set(entry.param, new Set([comparedOf(entry)]))
    else ofParam.add(comparedOf(entry))
  }
  return entries.filter((entry) => !isComparable(entry) || !isCovered(covered, entry, values))
}

/** The parameters that cover others. */
const coveringOf = oncePer((covered: Covered): ReadonlySet<string> => new Set(Object.values(covered).flat()))

/** `code:text`: `code` and `:text`. */
function partsOf(param: string): readonly [param: string, rest: string] {
  const colon = param.indexOf(':')
  return colon < 0 ? [param, ''] : [param.slice(0, colon), param.slice(colon)]
}

const isComparable = (entry: IndexEntry): entry is Comparable => entry.kind === 'string' || entry.kind === 'token'

/** The compared value of an entry. A token and a text beside it differ in the names of their parameters. */
const comparedOf = (entry: Comparable): string =>
  entry.kind === 'string' ? entry.exact + SEPARATOR + entry.folded : entry.code + SEPARATOR + entry.system
const SEPARATOR = '\u0000'

function isCovered(covered: Covered, entry: Comparable, values: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const [param, rest] = partsOf(entry.param)
  const others = covered[param]
  return others?.some((other) => values.get(other + rest)?.has(comparedOf(entry))) ?? false
}

/**
 * Most resources that are in no list; a search for a word reads the words of all of them that are of its type. A row of
 * `word_list` holds many resources, and is written for several hundred at once, since a row per word and resource would
 * cost a commit as many pages as all other values together. A list may name a resource that no longer has the word; its
 * current words are in `word_index`, which every search checks.
 */
const MOST_UNLISTED = 256
/** Most resources of a list, so that a search that needs a few of them does not read many. */
const LONGEST_LIST = 1_000
/** Lists that one statement writes. */
const LISTS_AT_ONCE = 16

/** A parameter, and its words with a space around each. */
type WordRow = readonly [param: number, words: string]
type List = readonly [param: number, word: string, first: number, rows: string]

/** Lists the words of the newest resources, where these are many. Called after change sets have been written. */
export function listNewWords(db: Database): void {
  const listed = lastListed(db)
  const last = db.number(raw('SELECT max(row) FROM resource'))
  if (last - listed < MOST_UNLISTED) return
  for (let from = listed; from < last; from += LONGEST_LIST) {
    insertLists(db, listsOf(db, from, Math.min(from + LONGEST_LIST, last)))
  }
  db.run('UPDATE word_listed SET row = ?', last)
}

/** Lists the added words of the resource of `row`, if its lists have been written already. */
function listAddedWords(
  db: Database,
  row: number,
  before: readonly (readonly SqlValue[])[],
  added: readonly (readonly SqlValue[])[],
): void {
  if (added.length === 0 || row > lastListed(db)) return
  const known = new Map(before.map(([param, words]) => [param, new Set(wordsOf(String(words)))]))
  const lists = added.flatMap(([param, words]) =>
    wordsOf(String(words))
      .filter((word) => !known.get(param ?? null)?.has(word))
      .map((word): List => [Number(param), word, row, `[${row}]`]),
  )
  insertLists(db, lists)
}

const lastListed = (db: Database): number => db.number(raw('SELECT row FROM word_listed'))

/** The lists of all words of the resources above `from` and up to `to`, roughly in the order of their key. */
function listsOf(db: Database, from: number, to: number): readonly List[] {
  const byParam = new Map<number, Map<string, number[]>>()
  const found = db.all<[row: number, ...WordRow]>(
    'SELECT row, param, words FROM word_index WHERE row > ? AND row <= ?',
    ...[from, to],
  )
  for (const [row, param, words] of found) {
    const byWord = byParam.get(param) ?? new Map<string, number[]>()
    byParam.set(param, byWord)
    for (const word of wordsOf(words)) {
      const rows = byWord.get(word)
      if (rows === undefined) byWord.set(word, [row])
      else rows.push(row)
    }
  }
  return [...byParam].flatMap(([param, byWord]) =>
    [...byWord]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([word, rows]): List => [param, word, rows[0] ?? 0, `[${rows.join()}]`]),
  )
}

const wordsOf = (words: string): readonly string[] => words.slice(1, -1).split(' ')

/** Inserts lists; a resource that regains a word may still be in an earlier list. */
function insertLists(db: Database, lists: readonly List[]): void {
  const many = lists.length - (lists.length % LISTS_AT_ONCE)
  for (let start = 0; start < many; start += LISTS_AT_ONCE) {
    db.run(INSERT_MANY, ...lists.slice(start, start + LISTS_AT_ONCE).flat())
  }
  for (const list of lists.slice(many)) db.run(INSERT_ONE, ...list)
}

const statement = (places: readonly string[]): string =>
  `INSERT OR FAIL INTO word_list (param, word, first, rows) VALUES ${places.join(', ')} ON CONFLICT DO NOTHING`
const INSERT_ONE = statement(['(?, ?, ?, ?)'])
const INSERT_MANY = statement(Array.from({ length: LISTS_AT_ONCE }, () => '(?, ?, ?, ?)'))
