/** The resources that have one of many keys, each found by a seek in the index of keys. */
import { keysPlan } from '../keys-plan.ts'
import type { FoundByKeys, KeysQuery } from '../port.ts'
import type { Engine } from './engine.ts'
import { readRows } from './resources.ts'

/** Appended to a text, sorts after every text that begins with it. */
const LAST = '\u{10FFFF}'

/**
 * For each beginning, the first ?2 rows of matching keys, as JSON: far faster than one result row for each. A resource
 * that has several such keys occurs several times.
 */
const ROWS = `SELECT (SELECT json_group_array(row) FROM (SELECT row FROM key_index
      WHERE param = ?1 AND code >= wanted.value AND code < wanted.value || '${LAST}' LIMIT ?2))
  FROM json_each(?3) AS wanted`

/** The first ?2 resources of one beginning, each once. */
const DISTINCT = `SELECT DISTINCT row FROM key_index
  WHERE param = ?1 AND code >= ?3 AND code < ?3 || '${LAST}' LIMIT ?2`

const NOTHING: FoundByKeys = { resources: [], tooCommon: [], isCut: false }

/** @throws IndexIncomplete */
export function findByKeys(engine: Engine, query: KeysQuery): FoundByKeys {
  engine.index.check(keysPlan(query))
  const { db, names } = engine
  const type = names.type(query.clinic, query.type)
  const param = type === undefined ? undefined : names.param(type, 'key', query.param)
  if (param === undefined || query.beginnings.length === 0) return NOTHING
  return db.snapshot(() => find(engine, param, query))
}

function find(engine: Engine, param: number, { beginnings, most, some = false }: KeysQuery): FoundByKeys {
  const lists = listsOf(engine, param, beginnings, most)
  const rows = new Set(lists.filter(({ isLong }) => some || !isLong).flatMap((list) => list.rows))
  const wanted = some ? [...rows].slice(0, most) : [...rows]
  const resources = readRows(engine, wanted)
  const tooCommon = lists.flatMap(({ beginning, isLong }) => (isLong ? [beginning] : []))
  return { resources, tooCommon, isCut: resources.length < rows.size }
}

interface RowsOfBeginning {
  readonly beginning: string
  /** Each row once; the first `most` where there are more. */
  readonly rows: readonly number[]
  readonly isLong: boolean
}

function listsOf(
  { db }: Engine,
  param: number,
  beginnings: readonly string[],
  most: number,
): readonly RowsOfBeginning[] {
  const found = db.all<[rows: string]>(ROWS, param, most + 1, JSON.stringify(beginnings))
  return beginnings.map((beginning, index) => {
    const text = found[index]?.[0] ?? EMPTY
    if (text === EMPTY) return { beginning, rows: NONE, isLong: false }
    const first: readonly number[] = JSON.parse(text)
    const rows = [...new Set(first)]
    if (first.length <= most) return { beginning, rows, isLong: false }
    // Repeated resources may hide that there are no more.
    const all = rows.length > most ? rows : db.all<[number]>(DISTINCT, param, most + 1, beginning).map(([row]) => row)
    return { beginning, rows: all.slice(0, most), isLong: all.length > most }
  })
}

const EMPTY = '[]'
const NONE: readonly number[] = []
