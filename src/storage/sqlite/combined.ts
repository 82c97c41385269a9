/** Combined indexes: two equalities and a range in one key, for the searches that a provider's users make all day. */
import type { CombinedIndex } from '../../search/plan.ts'
import type { Engine } from './engine.ts'
import type { IndexRow, IndexRows, IndexTable } from './index-rows.ts'
import type { SqlValue } from './sql.ts'

/** The name of a combination, as `names` interns it under its type. */
export const combinedName = (declared: CombinedIndex): string => [...declared.equal, declared.range].join(' ')

/** A value of an `equal` parameter: code of a token or row of a referenced resource. */
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
  const param = engine.names.makeParam(type, 'combined', combinedName(declared))
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

/**
 * Brings the stored combinations in line with the declared ones, once, at start: a new one is filled from what is
 * stored, one that is no longer declared is removed.
 */
export function reconcileCombined(engine: Engine): void {
  const stored = engine.db.all<[string, string]>('SELECT type, text FROM combined')
  const isStored = (declared: CombinedIndex) =>
    stored.some(([type, text]) => type === declared.type && text === combinedName(declared))
  const isDeclared = (type: string, text: string) =>
    engine.combined.some((declared) => declared.type === type && combinedName(declared) === text)
  for (const [type, text] of stored) if (!isDeclared(type, text)) remove(engine, type, text)
  for (const declared of engine.combined) if (!isStored(declared)) fill(engine, declared)
}

function remove(engine: Engine, type: string, text: string): void {
  for (const id of typesOfAllClinics(engine, type)) {
    const param = engine.names.param(id, 'combined', text)
    if (param !== undefined) engine.db.run('DELETE FROM combined_index WHERE param = ?', param)
  }
  engine.db.run('DELETE FROM combined WHERE type = ? AND text = ?', type, text)
}

function fill(engine: Engine, declared: CombinedIndex): void {
  for (const type of typesOfAllClinics(engine, declared.type)) {
    const range = engine.names.param(type, 'date', declared.range)
    if (range === undefined) continue
    const param = engine.names.makeParam(type, 'combined', combinedName(declared))
    for (const first of sources(engine, type, declared.equal[0])) {
      for (const second of sources(engine, type, declared.equal[1])) {
        engine.db.run(
          `INSERT OR IGNORE INTO combined_index (row, param, first, second, low, high)
           SELECT d.row, ?, a.value, b.value, d.low, d.high
           FROM range_index AS d INDEXED BY range_by_low
             CROSS JOIN (${first.from}) AS a ON a.row = d.row
             CROSS JOIN (${second.from}) AS b ON b.row = d.row
           WHERE d.param = ?`,
          ...[param, ...first.values, ...second.values, range],
        )
      }
    }
  }
  engine.db.run('INSERT INTO combined (type, text) VALUES (?, ?)', declared.type, combinedName(declared))
}

interface ValueSource {
  readonly from: string
  readonly values: readonly number[]
}

function sources(engine: Engine, type: number, code: string | undefined): readonly ValueSource[] {
  if (code === undefined) return [{ from: 'SELECT row, 0 AS value FROM resource', values: [] }]
  return EQUAL_VALUES.flatMap(({ kind, table, column }) => {
    const param = engine.names.param(type, kind, code)
    if (param === undefined) return []
    return [{ from: `SELECT row, ${column} AS value FROM ${table} WHERE param = ?`, values: [param] }]
  })
}

const typesOfAllClinics = (engine: Engine, type: string): readonly number[] =>
  engine.names.clinics().flatMap((clinic) => engine.names.find(clinic, type) ?? [])
