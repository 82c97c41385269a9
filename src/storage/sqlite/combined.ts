/** The rows of combined indexes: two equalities and a range in one key, for the most frequent searches of a type. */
import type { CombinedIndex } from '../../search/plan.ts'
import { nameOfCombined } from '../index/index-parts.ts'
import type { Engine } from './engine.ts'
import type { IndexRow, IndexRows, IndexTable } from './index-entries.ts'
import type { SqlValue } from './sql.ts'

/** The sources of the value of an `equal` parameter: the code of a token, or the row of a referenced resource. */
const EQUAL_VALUES = [
  { kind: 'token', table: 'token_index', column: 'code' },
  { kind: 'reference', table: 'reference_index', column: 'target' },
] as const

/** The rows of combined_index that follow from the other rows of one resource. */
export function combinedRows(engine: Engine, type: number, typeName: string, rows: IndexRows): readonly IndexRow[] {
  return engine.combined
    .filter((declared) => declared.type === typeName)
    .flatMap((declared) => crossProduct(engine, type, declared, rows))
}

function crossProduct(engine: Engine, type: number, declared: CombinedIndex, rows: IndexRows): readonly IndexRow[] {
  const range = engine.names.param(type, 'date', declared.range)
  const ranges = rowsOf(rows, 'range_index', range)
  if (ranges.length === 0) return []
  const param = engine.names.internParam(type, 'combined', nameOfCombined(declared))
  const [firsts, seconds] = [equalValues(engine, declared.equal[0], rows), equalValues(engine, declared.equal[1], rows)]
  return firsts.flatMap((first) =>
    seconds.flatMap((second) =>
      ranges.map(([, low, high]): IndexRow => [param, first, second, low ?? null, high ?? null]),
    ),
  )
}

function equalValues({ names }: Engine, code: string | undefined, rows: IndexRows): readonly SqlValue[] {
  if (code === undefined) return [0]
  const all = EQUAL_VALUES.flatMap(({ table }) => rows.get(table) ?? [])
  const found = all.filter(([param]) => names.textOf(param) === code)
  return [...new Set(found.map(([, value]) => value ?? null))]
}

const rowsOf = (rows: IndexRows, table: IndexTable, param: number | undefined): readonly IndexRow[] =>
  param === undefined ? [] : (rows.get(table)?.filter((row) => row[0] === param) ?? [])
