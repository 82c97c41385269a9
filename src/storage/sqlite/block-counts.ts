/**
 * Counts per block of resource rows: the resources of each type, those with each parameter, and those with each
 * frequent code of it. So a total is a sum of a few numbers, and a search for missing values skips the blocks in which
 * none is missing.
 *
 * A block is counted once, when it is full, which costs each new resource some microseconds; each search examines the
 * rows of the last block itself, and those of blocks whose counts do not suffice. Later changes of a resource change the counts of its block. Types and parameters are
 * those of one clinic (schema.ts), and so are the counts.
 */

import { countUpTo } from './candidates.ts'
import type { Database } from './connection.ts'
import type { Engine } from './engine.ts'
import { ENTRY_TABLES, type IndexRow, type IndexRows, type IndexTable } from './index-entries.ts'
import { ALWAYS, and, raw, type Sql, sql, visited } from './sql.ts'
import { type EntryTerm, exists, type Scope, type Source, type Term } from './term.ts'

export const ROWS_OF_BLOCK = 1_024
/** Most blocks that one commit counts: an older store begins with none counted. */
const AT_ONCE = 2
/**
 * A code is counted in a block only where so many of its resources have it: fewer rows are quickly counted by the
 * index.
 */
const FREQUENT = 64
/** Blocks with more index rows in one table are not counted, as requests would have to wait. */
const MOST_ENTRIES = 100_000

const blockOf = (row: number): number => Math.floor(row / ROWS_OF_BLOCK)

/** The first block that is not counted yet. */
const firstUncounted = (db: Database): number => db.number(raw('SELECT block FROM block_next'))

/** Counts the blocks that are full. Called after resources have been written, within their transaction. */
export function countFullBlocks(db: Database): void {
  const next = firstUncounted(db)
  const full = blockOf(db.number(raw('SELECT max(row) FROM resource')) + 1)
  if (full <= next) return
  const end = Math.min(full, next + AT_ONCE)
  for (let block = next; block < end; block += 1) count(db, block)
  db.run('UPDATE block_next SET block = ?', end)
}

function count(db: Database, block: number): void {
  const rows = [block * ROWS_OF_BLOCK, (block + 1) * ROWS_OF_BLOCK - 1] as const
  const isKnown = ENTRY_TABLES.every((table) => isShort(db, table, rows))
  db.run(
    `INSERT INTO block_type (type, block, resources, is_known)
      SELECT type, ${block}, count(*), ${isKnown ? 1 : 0} FROM resource WHERE row BETWEEN ? AND ? AND live = 1 GROUP BY type`,
    ...rows,
  )
  if (!isKnown) return
  for (const table of ENTRY_TABLES) {
    db.run(
      `INSERT INTO block_param (param, block, resources) SELECT param, ${block}, count(*)
        FROM (SELECT DISTINCT row, param FROM ${table} WHERE row BETWEEN ? AND ?) GROUP BY param`,
      ...rows,
    )
  }
  countCodes(db, block, rows)
}

type RowsOfBlock = readonly [first: number, last: number]

function isShort(db: Database, table: IndexTable, rows: RowsOfBlock): boolean {
  const some = `SELECT 1 FROM ${table} WHERE row BETWEEN ? AND ? LIMIT ${MOST_ENTRIES}`
  const [found = 0] = db.get<[number]>(`SELECT count(*) FROM (${some})`, ...rows) ?? []
  return found < MOST_ENTRIES
}

/** Groups here and not in SQL, which would sort all identifiers. */
function countCodes(db: Database, block: number, rows: RowsOfBlock): void {
  const codes = new Map<
    string,
    { readonly key: readonly [param: number, code: string]; system: number; resources: number }
  >()
  const found = db.all<[param: number, code: string, system: number]>(
    'SELECT param, code, system FROM token_index WHERE row BETWEEN ? AND ?',
    ...rows,
  )
  for (const [param, code, system] of found) {
    const key = `${param} ${code}`
    const known = codes.get(key)
    if (known === undefined) codes.set(key, { key: [param, code], system, resources: 1 })
    else {
      known.resources += 1
      if (known.system !== system) known.system = SEVERAL
    }
  }
  for (const { key, system, resources } of codes.values()) {
    if (resources < FREQUENT || system === SEVERAL) continue
    db.run(
      'INSERT INTO block_code (param, code, block, system, resources) VALUES (?, ?, ?, ?, ?)',
      ...[...key, block, system, resources],
    )
  }
}

/** Marks a code with several systems. */
const SEVERAL = -1

/** The effect of a resource's change on the counts of its block. */
interface CountedChange {
  readonly type: number
  readonly row: number
  /** 1 when the resource becomes live, -1 when it is deleted. */
  readonly live: -1 | 0 | 1
  readonly before: IndexRows | undefined
  readonly after: IndexRows
}

/** Updates the counts for a change of a resource that already had a row. Called within the transaction. */
export function changeCounts(db: Database, { type, row, live, before, after }: CountedChange): void {
  const block = blockOf(row)
  if (block >= firstUncounted(db)) return
  if (live !== 0) db.run(ADD_RESOURCES, type, block, live)
  for (const table of ENTRY_TABLES) {
    const [had, has] = [paramsOf(before, table), paramsOf(after, table)]
    for (const param of has) if (!had.has(param)) db.run(ADD_TO_PARAM, param, block, 1)
    for (const param of had) if (!has.has(param)) db.run(ADD_TO_PARAM, param, block, -1)
  }
  changeCodes(db, block, before?.get('token_index') ?? [], after.get('token_index') ?? [])
}

const paramsOf = (rows: IndexRows | undefined, table: IndexTable): ReadonlySet<number> =>
  new Set(rows?.get(table)?.map(([param]) => param))

const ADD_RESOURCES = `INSERT INTO block_type (type, block, resources, is_known) VALUES (?, ?, ?, 1)
  ON CONFLICT DO UPDATE SET resources = resources + excluded.resources`
/** A parameter without a count has no resources in its block. */
const ADD_TO_PARAM = `INSERT INTO block_param (param, block, resources) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET resources = resources + excluded.resources`

function changeCodes(db: Database, block: number, before: readonly IndexRow[], after: readonly IndexRow[]): void {
  const [had, has] = [keysOf(before), keysOf(after)]
  for (const [key, code] of had) if (!has.has(key)) addCode(db, block, code, -1)
  for (const [key, code] of has) if (!had.has(key)) addCode(db, block, code, 1)
}

const keysOf = (rows: readonly IndexRow[]): ReadonlyMap<string, IndexRow> =>
  new Map(rows.map((row) => [row.join('\u0000'), row]))

/** Stops counting a code once it has two systems, as a resource may have it with both. */
function addCode(db: Database, block: number, [param, code = '', system = 0]: IndexRow, more: number): void {
  db.run(
    'DELETE FROM block_code WHERE param = ? AND code = ? AND block = ? AND system <> ?',
    ...[param, code, block, system],
  )
  db.run(
    'UPDATE block_code SET resources = resources + ? WHERE param = ? AND code = ? AND block = ?',
    ...[more, param, code, block],
  )
}

/** The rows from the first to the last, inclusive. */
type Range = readonly [first: number, last: number]

/** The number of resources of the type that fulfil all of `terms`; undefined where counts do not help. */
export function totalByBlocks(engine: Engine, scope: Scope, terms: readonly Term[]): number | undefined {
  const [term, ...others] = terms
  if (others.length > 0) return undefined
  if (term === undefined) return totalOfType(engine, scope)
  if (term.op !== 'not') return totalOf(engine, scope, term)
  const total = totalOf(engine, scope, term.of)
  return total === undefined ? undefined : totalOfType(engine, scope) - total
}

function totalOf(engine: Engine, scope: Scope, term: Term): number | undefined {
  if (term.op === 'entry' && term.counted?.by === 'codes') return totalOfCodes(engine, scope, term, term.counted)
  const params = presenceOf(term)
  return params && totalWithValue(engine, scope, term, params)
}

/** The parameters of which the term requires any value; undefined for every other kind of term. */
function presenceOf(term: Term): readonly number[] | undefined {
  if (term.op === 'entry') return term.counted?.by === 'presence' ? [term.param] : undefined
  if (term.op !== 'any') return undefined
  const params = term.of.map(presenceOf)
  return params.some((some) => some === undefined) ? undefined : params.flatMap((some) => some ?? [])
}

function totalOfType({ db }: Engine, { type }: Scope): number {
  const counted = db.number(sql`SELECT sum(resources) FROM block_type WHERE type = ${type}`)
  const rest = sql`SELECT count(*) FROM resource INDEXED BY resource_by_row
    WHERE type = ${type} AND live = 1 AND row >= ${firstUncounted(db) * ROWS_OF_BLOCK}`
  return counted + db.number(rest)
}

type Codes = Extract<NonNullable<EntryTerm['counted']>, { by: 'codes' }>

function totalOfCodes(engine: Engine, scope: Scope, { param }: EntryTerm, codes: Codes): number | undefined {
  const each = [...new Set(codes.codes)]
  // A resource may have several of these codes, or the same one in several systems.
  if ((each.length > 1 || codes.system === undefined) && engine.names.factsOf(param).repeated) return undefined
  return each.reduce((sum, code) => sum + totalOfCode(engine, scope, param, code, codes.system), 0)
}

function totalOfCode({ db }: Engine, { type }: Scope, param: number, code: string, system: number | undefined): number {
  const blocks = db.select<[block: number, resources: number | null, system: number | null]>(
    sql`SELECT b.block, c.resources, c.system
      FROM block_type AS b LEFT JOIN block_code AS c ON c.param = ${param} AND c.code = ${code} AND c.block = b.block
      WHERE b.type = ${type} ORDER BY b.block`,
  )
  const ofSystem = blocks.filter(([, , own]) => system === undefined || own === system)
  const counted = ofSystem.reduce((sum, [, resources]) => sum + (resources ?? 0), 0)
  const uncounted = blocks.filter(([, resources]) => resources === null).map(([block]) => block)
  return (
    counted +
    db.number(sql`SELECT count(*)
    FROM ${asRows(rangesOf(db, uncounted))}
      CROSS JOIN token_index AS d INDEXED BY token_by_value ON ${inRange(raw('d.row'))}
    WHERE ${and([
      sql`d.param = ${param} AND d.code = ${code}`,
      system === undefined ? ALWAYS : sql`d.system = ${system}`,
      visited(raw('d.row')),
    ])}`)
  )
}

interface Block {
  readonly block: number
  readonly resources: number
  /** The resources with a value, where their number is known. */
  readonly withValue: number | undefined
}

/**
 * Values of several kinds are counted separately, and a resource may have several: the number is known only where one
 * kind has all resources of the block, or all counted ones.
 */
function blocksBy({ db }: Engine, { type }: Scope, params: readonly number[]): readonly Block[] {
  const rows = db.select<[block: number, resources: number, isKnown: number, most: number, sum: number]>(
    sql`SELECT b.block, b.resources, b.is_known, coalesce(max(p.resources), 0), coalesce(sum(p.resources), 0)
      FROM block_type AS b
        LEFT JOIN block_param AS p ON p.param IN (SELECT value FROM json_each(${JSON.stringify(params)})) AND p.block = b.block
      WHERE b.type = ${type} GROUP BY b.block ORDER BY b.block`,
  )
  return rows.map(([block, resources, isKnown, most, sum]) => ({
    block,
    resources,
    withValue: isKnown === 1 && (most === resources || most === sum) ? most : undefined,
  }))
}

function totalWithValue(engine: Engine, scope: Scope, term: Term, params: readonly number[]): number {
  const blocks = blocksBy(engine, scope, params)
  const counted = blocks.reduce((sum, { withValue = 0 }) => sum + withValue, 0)
  const unknown = blocks.filter(({ withValue }) => withValue === undefined).map(({ block }) => block)
  const { from, where } = resourcesIn(scope, rangesOf(engine.db, unknown), exists(term, raw('d.row')))
  return counted + engine.db.number(sql`SELECT count(*) FROM ${from} WHERE ${where}`)
}

/**
 * The resources that lack a value which `term` requires to be missing, where they can be in few blocks only.
 * @returns undefined where they can be more than `most`, or for every other kind of term
 */
export function lackingSource(engine: Engine, scope: Scope, term: Term, most: number): Source | undefined {
  const params = term.op === 'not' ? presenceOf(term.of) : undefined
  if (params === undefined) return undefined
  const lacking = blocksBy(engine, scope, params).filter(({ resources, withValue }) => withValue !== resources)
  if (lacking.reduce((sum, { resources }) => sum + resources, 0) >= most) return undefined
  const ranges = rangesOf(
    engine.db,
    lacking.map(({ block }) => block),
  )
  const all = resourcesIn(scope, ranges, ALWAYS)
  if (countUpTo(engine, all, most) >= most) return undefined
  return {
    ...resourcesIn(scope, ranges, exists(term, raw('d.row'))),
    row: raw('d.row'),
    inRowOrder: false,
    distinct: true,
  }
}

const resourcesIn = (scope: Scope, ranges: readonly Range[], test: Sql): Pick<Source, 'from' | 'where'> => ({
  from: sql`${asRows(ranges)} CROSS JOIN resource AS d INDEXED BY resource_by_row ON ${inRange(raw('d.row'))}`,
  where: and([sql`d.type = ${scope.type} AND d.live = 1`, visited(raw('d.row')), test]),
})

const asRows = (ranges: readonly Range[]): Sql => sql`json_each(${JSON.stringify(ranges)}) AS r`
const inRange = (row: Sql): Sql => sql`${row} BETWEEN r.value ->> 0 AND r.value ->> 1`

/** The rows of the blocks, in order, and of all rows not counted yet; adjacent blocks become one range. */
function rangesOf(db: Engine['db'], blocks: readonly number[]): readonly Range[] {
  const ranges: Range[] = []
  for (const block of blocks) {
    const [first, last] = [block * ROWS_OF_BLOCK, (block + 1) * ROWS_OF_BLOCK - 1]
    const [begin, end] = ranges.at(-1) ?? []
    if (begin !== undefined && end === first - 1) ranges[ranges.length - 1] = [begin, last]
    else ranges.push([first, last])
  }
  return [...ranges, [firstUncounted(db) * ROWS_OF_BLOCK, Number.MAX_SAFE_INTEGER]]
}
