/** _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */

import { CALLED, canonicalParam } from '../../search/canonical.ts'
import { innerTypesOf } from '../../search/inner.ts'
import type { Include, SearchPlan } from '../../search/plan.ts'
import { Included, type Neighbour } from '../included.ts'
import type { SearchResult } from '../port.ts'
import type { Engine } from './engine.ts'
import { readVersions } from './resources.ts'
import { ALWAYS, and, isOneOf, limitedTo, raw, type Sql, sql, visited } from './sql.ts'
import { type Scope, scopeOf } from './term.ts'

/** The resources included with the matches `rows`. */
export function included(
  engine: Engine,
  plan: SearchPlan,
  rows: readonly number[],
): Pick<SearchResult, 'included' | 'truncated'> {
  const collected = new Included<RowNeighbour>(plan, rows)
  const startOf = ({ row, isCurrent }: RowNeighbour) => (isCurrent ? [row] : [])
  for (const [step, starts] of collected.rounds(stepsOf(plan.include), rows, startOf)) {
    neighbours(engine, plan.clinic, step, starts, collected.readable).every((one) => collected.add(one))
  }
  const found = collected.found.map(({ seq }) => seq)
  const resources = readVersions(engine, found)
  return { included: resources, truncated: collected.truncated || resources.length < found.length }
}

/**
 * Groups includes into steps. `_revinclude=*` is an include of every type that may refer to the matches; as one step it
 * reads their references once.
 */
function stepsOf(includes: readonly Include[]): readonly Step[] {
  const groups = Map.groupBy(includes, ({ source, ...same }) => {
    return source === EVERY || same.param !== EVERY ? JSON.stringify([source, same]) : JSON.stringify([same])
  })
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ ...first, sources: group.map(({ source }) => source) }]
  })
}

const EVERY = '*'

/** Includes that follow the same references, from one type or several. */
interface Step extends Omit<Include, 'source'> {
  readonly sources: readonly string[]
}

/** Its address is its row, or for an older version the negative sequence number, so that each is included once. */
interface RowNeighbour extends Neighbour {
  readonly row: number
  /** The sequence number of the referenced version. */
  readonly seq: number
  /** True for the current version: only its references are known. */
  readonly isCurrent: boolean
}

/** The resources one reference away from `rows`, in the direction of `include`. */
function neighbours(
  engine: Engine,
  clinic: string,
  include: Step,
  rows: readonly number[],
  limit: number,
): readonly RowNeighbour[] {
  if (include.canonical !== undefined)
    return canonicalNeighbours(engine, clinic, include, include.canonical, rows, limit)
  const source = sourceTest(engine, clinic, include)
  const target = include.target === undefined ? ALWAYS : typeTest(engine, clinic, include.target)
  if (source === undefined || target === undefined) return []
  const [from, found, seq] = include.reverse
    ? [sql`reference_index AS i INDEXED BY reference_by_target ON i.target = here.value`, raw('s'), CURRENT_SOURCE]
    : [sql`reference_index AS i NOT INDEXED ON i.row = here.value`, raw('t'), REFERRED_TARGET]
  // Only the ids of contained resources have a '#'.
  return engine.db
    .select<[row: number, seq: number, current: number | null, isInner: 0 | 1]>(
      sql`SELECT DISTINCT ${found}.row, ${seq} AS found_seq, ${found}.seq, instr(${found}.id, '#') > 0
      FROM json_each(${JSON.stringify(rows)}) AS here
        CROSS JOIN ${from}
        CROSS JOIN resource AS s ON s.row = i.row
        CROSS JOIN resource AS t ON t.row = i.target
      WHERE ${and([visited(raw('i.row')), source, target, sql`found_seq IS NOT NULL`])} ${limitedTo(limit)}`,
    )
    .map(([row, version, current, isInner]) => neighbourOf(row, version, version === current, isInner === 1))
}

const neighbourOf = (row: number, seq: number, isCurrent: boolean, isInner: boolean): RowNeighbour => ({
  ...{ row, seq, isCurrent, isInner },
  address: isCurrent ? row : -seq,
})

/**
 * Follows canonical references: a resource that names a definition by its url, and the definition, both refer to that
 * address.
 */
function canonicalNeighbours(
  engine: Engine,
  clinic: string,
  { sources, param, reverse }: Step,
  types: readonly string[],
  rows: readonly number[],
  limit: number,
): readonly RowNeighbour[] {
  const holders = paramsOf(
    engine,
    sources.flatMap((type) => sourceScopes(engine, clinic, type, reverse)),
    canonicalParam(param),
  )
  const called = paramsOf(
    engine,
    types.flatMap((type) => scopeOf(engine, clinic, type) ?? []),
    CALLED,
  )
  if (holders.length === 0 || called.length === 0) return []
  const [own, other] = reverse ? [called, holders] : [holders, called]
  return engine.db
    .select<[row: number, seq: number]>(
      sql`SELECT DISTINCT d.row, d.seq
      FROM json_each(${JSON.stringify(rows)}) AS here
        CROSS JOIN reference_index AS i NOT INDEXED ON i.row = here.value
        CROSS JOIN reference_index AS o INDEXED BY reference_by_target ON o.target = i.target
        CROSS JOIN resource AS d ON d.row = o.row
      WHERE ${visited(raw('o.row'))} AND ${isOneOf(raw('i.param'), own)} AND ${isOneOf(raw('o.param'), other)}
        AND d.live = 1 ${limitedTo(limit)}`,
    )
    .map(([row, seq]) => neighbourOf(row, seq, true, false))
}

const CURRENT_SOURCE = raw('CASE WHEN s.live = 1 THEN s.seq END')

/**
 * The referenced version: a versioned reference leads to that version, even where the resource has been deleted since.
 */
const REFERRED_TARGET = raw(`CASE
  WHEN i.version = '' THEN CASE WHEN t.live = 1 THEN t.seq END
  ELSE (SELECT v.seq FROM version AS v
    WHERE v.row = t.row AND v.version = CAST(i.version AS INTEGER) AND CAST(v.version AS TEXT) = i.version
      AND v.method <> 'DELETE')
END`)

/** A test of the references to follow, by their holder's type and parameter; undefined: there are none. */
function sourceTest(engine: Engine, clinic: string, { sources, param, reverse }: Step): Sql | undefined {
  const [source] = sources
  if (source === EVERY) {
    return param === EVERY ? ALWAYS : sql`(SELECT n.text FROM name AS n WHERE n.id = i.param) = ${param}`
  }
  const scopes = sources.flatMap((type) => sourceScopes(engine, clinic, type, reverse))
  if (scopes.length === 0) return undefined
  if (param === EVERY) return isOneOf(raw('s.type'), typesOf(scopes))
  const params = paramsOf(engine, scopes, param)
  return params.length === 0 ? undefined : isOneOf(raw('i.param'), params)
}

/**
 * The types that may hold the references. A contained resource that refers to a match is not included, as its container
 * would have to be.
 */
function sourceScopes(engine: Engine, clinic: string, type: string, reverse: boolean): readonly Scope[] {
  if (!reverse) return scopesOf(engine, clinic, type)
  return [scopeOf(engine, clinic, type) ?? []].flat()
}

const paramsOf = ({ names }: Engine, scopes: readonly Scope[], code: string): readonly number[] =>
  scopes.flatMap(({ type }) => names.param(type, 'reference', code) ?? [])

function typeTest(engine: Engine, clinic: string, type: string): Sql | undefined {
  const scopes = scopesOf(engine, clinic, type)
  return scopes.length === 0 ? undefined : isOneOf(raw('t.type'), typesOf(scopes))
}

/** The scopes of resources of the type, and of contained ones. */
const scopesOf = (engine: Engine, clinic: string, type: string): readonly Scope[] =>
  [type, ...innerTypesOf(type)].flatMap((one) => scopeOf(engine, clinic, one) ?? [])

const typesOf = (scopes: readonly Scope[]): readonly number[] => scopes.map(({ type }) => type)
