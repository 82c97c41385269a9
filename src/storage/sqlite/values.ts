/**
 * The values of a parameter that occur. Its index is read from one value to the next, so the number of resources does
 * not matter.
 */
import { isInner } from '../../search/inner.ts'
import type { StoredValue, ValuesQuery } from '../port.ts'
import type { Engine } from './engine.ts'
import { withCovered } from './index-entries.ts'
import { limitedTo, raw, sql, visited } from './sql.ts'

/** Resources that are read to find the systems of a code. */
const MAX_LOOKED_AT = 1000

export function values(
  engine: Engine,
  { clinic, type, kind, param: code, limit }: ValuesQuery,
): readonly StoredValue[] {
  const { names } = engine
  const parent = names.clinic(clinic)
  if (parent === undefined) return []
  const types = type === undefined ? names.children(parent).filter(isOwnType(engine)) : [names.find(parent, type)]
  const found = new Map<string, StoredValue>()
  for (const one of types) {
    const params = one === undefined ? [] : withCovered(engine.covered, names.textOf(one), code)
    for (const param of params.flatMap((name) => names.param(one ?? 0, kind, name) ?? [])) {
      const list = kind === 'token' ? tokens(engine, param, limit) : uris(engine, param, limit)
      for (const value of list) found.set(JSON.stringify(value), value)
    }
    if (found.size >= limit) break
  }
  return [...found.values()].slice(0, limit)
}

/** True unless the type is that of contained resources. */
const isOwnType =
  ({ names }: Engine) =>
  (type: number): boolean =>
    !isInner(names.textOf(type))

const uris = (engine: Engine, param: number, limit: number): readonly StoredValue[] =>
  steps(engine, 'uri_index INDEXED BY uri_by_value', 'value', param, limit).map((code) => ({ system: '', code }))

const tokens = (engine: Engine, param: number, limit: number): readonly StoredValue[] =>
  steps(engine, 'token_index INDEXED BY token_by_value', 'code', param, limit).flatMap((code) =>
    systemsOf(engine, param, code).map((system) => ({ system, code })),
  )

/** The values, each found by a seek for the next one. */
function steps({ db }: Engine, from: string, column: string, param: number, limit: number): readonly string[] {
  const least = (after: string) => raw(`(SELECT min(${column}) FROM ${from} WHERE param = step.param${after})`)
  return db
    .select<[string]>(
      sql`WITH RECURSIVE start(param) AS (SELECT ${param}),
        step(param, value) AS (
          SELECT param, ${least('')} FROM start AS step
          UNION ALL SELECT param, ${least(` AND ${column} > step.value`)} FROM step
            WHERE value IS NOT NULL AND ${visited(raw('value'))}
        )
        SELECT value FROM step WHERE value IS NOT NULL ${limitedTo(limit)}`,
    )
    .map(([value]) => value)
}

function systemsOf({ db, names }: Engine, param: number, code: string): readonly string[] {
  const rows = sql`SELECT system FROM token_index INDEXED BY token_by_value
    WHERE param = ${param} AND code = ${code} AND ${visited(raw('row'))} ${limitedTo(MAX_LOOKED_AT)}`
  return db
    .select<[number]>(sql`SELECT DISTINCT system FROM (${rows})`)
    .map(([system]) => (system === 0 ? '' : names.textOf(system)))
}
