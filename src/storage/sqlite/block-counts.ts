/**
 * Counts per block of resource rows: the resources of each type, those with each parameter, and those with each
 * frequent code of it. So a total is a sum of a few numbers, and a search for missing values skips the blocks in which
 * none is missing.
 *
 * A block is counted once, when it is full, which costs each new resource some microseconds; each search examines the
 * rows of the last block itself. Later changes of a resource change the counts of its block. Types and parameters are
 * those of one clinic (schema.ts), and so are the counts.
 */
import type { Database } from './connection.ts'
import { ENTRY_TABLES, type IndexRow, type IndexRows, type IndexTable } from './index-entries.ts'
import { raw } from './sql.ts'

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
export const firstUncounted = (db: Database): number => db.number(raw('SELECT block FROM block_next'))

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
export interface CountedChange {
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
