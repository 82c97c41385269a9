/** The resources that have one of many codes: a seek in the index for each. */
import { codesPlan } from '../codes-plan.ts'
import type { CodesQuery, FoundByCodes } from '../port.ts'
import type { Engine } from './engine.ts'
import { readRows } from './resources.ts'

/**
 * For each code the rows that have it, as JSON: by far faster than a row of the result for each. NULL where more than ?2
 * have it. (A LIMIT within the aggregate would take SQLite 10 µs more.)
 */
const ROWS = `SELECT CASE WHEN (SELECT DISTINCT row FROM token_index INDEXED BY token_by_value
      WHERE param = ?1 AND code = wanted.value LIMIT 1 OFFSET ?2) IS NULL
    THEN (SELECT json_group_array(row) FROM token_index INDEXED BY token_by_value WHERE param = ?1 AND code = wanted.value)
    END
  FROM json_each(?3) AS wanted`

const HAVING = `SELECT value FROM json_each(?) AS one
  WHERE EXISTS (SELECT 1 FROM token_index INDEXED BY token_by_value WHERE row = one.value AND param = ? AND code = ?)`

/** Rows of a code that are read to compare them with those of another one; of more, it is asked which of the others have it. */
const MAX_LISTED = 2_000

const NOTHING: FoundByCodes = { resources: [], tooCommon: [], isCut: false }

/** @throws IndexIncomplete */
export function findByCodes(engine: Engine, query: CodesQuery): FoundByCodes {
  engine.index.check(codesPlan(query))
  const { db, names } = engine
  const type = names.type(query.clinic, query.type)
  const param = type === undefined ? undefined : names.param(type, 'token', query.param)
  if (param === undefined) return NOTHING
  return db.snapshot(() => find(engine, param, query))
}

function find(engine: Engine, param: number, { codes, together, most }: CodesQuery): FoundByCodes {
  const lists = listsOf(engine, param, codes, most)
  const both = together === undefined ? NO_ROWS : withBoth(engine, param, together, most)
  const rows = new Set([...lists.flatMap((list) => list.rows), ...both.rows])
  const resources = readRows(engine, [...rows])
  const tooCommon = lists.flatMap(({ code, isLong }) => (isLong ? [code] : []))
  return { resources, tooCommon, isCut: both.isCut || resources.length < rows.size }
}

interface FoundRows {
  readonly rows: readonly number[]
  readonly isCut: boolean
}

const NO_ROWS: FoundRows = { rows: [], isCut: false }

function withBoth(
  engine: Engine,
  param: number,
  [codes, others]: NonNullable<CodesQuery['together']>,
  most: number,
): FoundRows {
  if (codes.length === 0 || others.length === 0) return NO_ROWS
  const lists = listsOf(engine, param, [...codes, ...others], MAX_LISTED)
  const [some, also] = [lists.slice(0, codes.length), lists.slice(codes.length)]
  const [mine, theirs] = [rowsOf(some), rowsOf(also)]
  const rows = new Set([
    ...mine.intersection(theirs),
    ...rowsWith(engine, param, theirs, some),
    ...rowsWith(engine, param, mine, also),
  ])
  return { rows: [...rows].slice(0, most), isCut: rows.size > most || (some.some(isLong) && also.some(isLong)) }
}

/** The rows of a code, one that has it with several systems as often; none where there are too many. */
interface CodeRows {
  readonly code: string
  readonly rows: readonly number[]
  readonly isLong: boolean
}

function listsOf({ db }: Engine, param: number, codes: readonly string[], most: number): readonly CodeRows[] {
  if (codes.length === 0) return []
  const found = db.all<[rows: string | null]>(ROWS, param, most, JSON.stringify(codes))
  return codes.map((code, index) => {
    const text = found[index]?.[0] ?? null
    return { code, rows: text === null || text === '[]' ? NONE : JSON.parse(text), isLong: text === null }
  })
}

const NONE: readonly number[] = []

const isLong = (list: CodeRows): boolean => list.isLong

const rowsOf = (lists: readonly CodeRows[]): ReadonlySet<number> => new Set(lists.flatMap(({ rows }) => rows))

/** Those of `rows` that have one of the codes whose lists are too long. */
function rowsWith(
  { db }: Engine,
  param: number,
  rows: ReadonlySet<number>,
  lists: readonly CodeRows[],
): readonly number[] {
  const long = lists.filter(isLong)
  if (long.length === 0 || rows.size === 0) return NONE
  const asked = JSON.stringify([...rows])
  return long.flatMap(({ code }) => db.all<[row: number]>(HAVING, asked, param, code).map(([row]) => row))
}
