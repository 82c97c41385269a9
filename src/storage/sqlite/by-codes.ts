/** The resources that have one of many codes: a seek in the index for each. */
import { codesPlan } from '../codes-plan.ts'
import type { CodesQuery, FoundByCodes } from '../port.ts'
import type { Engine } from './engine.ts'
import { readRows } from './resources.ts'

/** For each code the rows that have it, as JSON: by far faster than a row of the result for each. */
const ROWS = `SELECT (SELECT json_group_array(row) FROM
    (SELECT DISTINCT row FROM token_index INDEXED BY token_by_value WHERE param = ? AND code = wanted.value LIMIT ?))
  FROM json_each(?) AS wanted`

const HAVING = `SELECT value FROM json_each(?) AS one
  WHERE EXISTS (SELECT 1 FROM token_index WHERE row = one.value AND param = ? AND code = ?)`

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
  return db.snapshot(() =>
    query.also === undefined ? withAny(engine, param, query) : withBoth(engine, param, query, query.also),
  )
}

function withAny(engine: Engine, param: number, { codes, most }: CodesQuery): FoundByCodes {
  const lists = listsOf(engine, param, codes, most)
  const rows = new Set(lists.flatMap(({ rows }) => rows))
  const resources = readRows(engine, [...rows])
  const tooCommon = lists.flatMap(({ code, isLong }) => (isLong ? [code] : []))
  return { resources, tooCommon, isCut: resources.length < rows.size }
}

function withBoth(engine: Engine, param: number, { codes, most }: CodesQuery, also: readonly string[]): FoundByCodes {
  const [some, others] = [listsOf(engine, param, codes, MAX_LISTED), listsOf(engine, param, also, MAX_LISTED)]
  const [mine, theirs] = [rowsOf(some), rowsOf(others)]
  const rows = new Set([
    ...mine.intersection(theirs),
    ...rowsWith(engine, param, theirs, some),
    ...rowsWith(engine, param, mine, others),
  ])
  const isCut = rows.size > most || (some.some(isLong) && others.some(isLong))
  const resources = readRows(engine, [...rows].slice(0, most))
  return { resources, tooCommon: [], isCut: isCut || resources.length < Math.min(rows.size, most) }
}

/** The rows of a code; none where there are too many. */
interface CodeRows {
  readonly code: string
  readonly rows: readonly number[]
  readonly isLong: boolean
}

function listsOf({ db }: Engine, param: number, codes: readonly string[], most: number): readonly CodeRows[] {
  const found = db.all<[rows: string]>(ROWS, param, most + 1, JSON.stringify(codes))
  return codes.map((code, index) => {
    const rows = JSON.parse(found[index]?.[0] ?? '[]') as readonly number[]
    return rows.length > most ? { code, rows: [], isLong: true } : { code, rows, isLong: false }
  })
}

const isLong = (list: CodeRows): boolean => list.isLong

const rowsOf = (lists: readonly CodeRows[]): ReadonlySet<number> => new Set(lists.flatMap(({ rows }) => rows))

/** Those of `rows` that have one of the codes whose lists are too long. */
const rowsWith = (
  { db }: Engine,
  param: number,
  rows: ReadonlySet<number>,
  lists: readonly CodeRows[],
): readonly number[] =>
  lists
    .filter(isLong)
    .flatMap(({ code }) => db.all<[row: number]>(HAVING, JSON.stringify([...rows]), param, code).map(([row]) => row))
