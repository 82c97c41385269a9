/** Conditions on strings, tokens, references and URIs, and on the presence of any entry. */

import { fold } from '../../fhir/text-folding.ts'
import { beginningsOf, type Equality } from '../../search/plan.ts'
import type { Of } from '../conditions.ts'
import { successor } from '../sort-order.ts'
import type { Engine } from './engine.ts'
import type { SearchedKind } from './interned-names.ts'
import { ALWAYS, and, isOneOf, not, or, type Sql, sql } from './sql.ts'
import { type EntryTerm, type Matches, NEVER, type Scope, type Term } from './term.ts'

const TABLES: Readonly<Record<SearchedKind, string>> = {
  string: 'string_index',
  words: 'word_index',
  token: 'token_index',
  reference: 'reference_index',
  uri: 'uri_index',
  date: 'range_index',
  number: 'range_index',
  quantity: 'range_index',
  position: 'position_index',
  composite: 'composite_index',
}

/** A term on an entry, found by `index`; without one, the term can only be tested row by row. */
export function entry(
  engine: Engine,
  scope: Scope,
  kind: SearchedKind,
  code: string,
  rest: (param: number) =>
    | (Pick<EntryTerm, 'index' | 'source' | 'matches' | 'equals' | 'comparison' | 'counted'> & {
        readonly inRowOrder?: boolean
      })
    | undefined,
): Term {
  const param = engine.names.param(scope.type, kind, code)
  const found = param === undefined ? undefined : rest(param)
  if (param === undefined || found === undefined) return NEVER
  return { op: 'entry', table: TABLES[kind], param, inRowOrder: false, ...found }
}

export function stringTerm(engine: Engine, scope: Scope, { param, match, value }: Of<'string'>): Term {
  return entry(engine, scope, 'string', param, () => {
    switch (match) {
      case 'prefix':
        return {
          index: 'string_by_value',
          comparison: `${match} ${value}`,
          matches: (x) => startsWith(sql`${x}.folded`, value),
        }
      case 'contains':
        return { matches: (x) => sql`instr(${x}.folded, ${value}) > 0` }
      case 'suffix':
        return { matches: (x) => sql`substr(${x}.folded, ${-[...value].length}) = ${value}` }
      case 'equal':
        return { index: 'string_by_value', inRowOrder: true, matches: (x) => sql`${x}.folded = ${value}` }
      case 'greater':
        return { index: 'string_by_value', matches: (x) => sql`${x}.folded > ${value}` }
      case 'less':
        return { index: 'string_by_value', matches: (x) => sql`(${x}.folded > '' AND ${x}.folded < ${value})` }
      case 'exact':
        return {
          index: 'string_by_value',
          inRowOrder: true,
          matches: (x) => sql`(${x}.folded = ${fold(value)} AND ${x}.exact = ${value})`,
        }
    }
  })
}

export function tokenTerm(
  engine: Engine,
  scope: Scope,
  code: string,
  systemName: string | undefined,
  codes: readonly string[] | undefined,
): Term {
  return entry(engine, scope, 'token', code, (param) => {
    const system = systemIs(engine, param, systemName)
    if (system === undefined) return undefined
    if (codes === undefined) return { matches: system }
    return {
      index: 'token_by_value',
      inRowOrder: codes.length === 1,
      equals: { values: codes, exactly: systemName === undefined },
      counted: { by: 'codes', codes, system: systemIdOf(engine, param, systemName) },
      matches: (x) => and([isOneOf(sql`${x}.code`, codes), system(x)]),
    }
  })
}

/** The comparison of systems; undefined: this parameter never had a value of the system. */
export function systemIs(engine: Engine, param: number, system: string | undefined): Matches | undefined {
  if (system === undefined) return () => ALWAYS
  const id = systemIdOf(engine, param, system)
  return id === undefined ? undefined : (x) => sql`${x}.system = ${id}`
}

const systemIdOf = ({ names }: Engine, param: number, system: string | undefined): number | undefined =>
  system === undefined ? undefined : system === '' ? 0 : names.find(param, system)

export function referenceTerm(
  engine: Engine,
  scope: Scope,
  { param: code, version, versions }: Of<'reference'>,
  targets: readonly number[],
): Term {
  if (targets.length === 0) return NEVER
  const isVersion: Matches = (x) => {
    if (version === undefined) return ALWAYS
    const same = sql`${x}.version = ${version}`
    return versions === undefined ? same : or([same, startsWith(sql`${x}.version`, `${version}.`)])
  }
  return entry(engine, scope, 'reference', code, () => ({
    index: 'reference_by_target',
    inRowOrder: targets.length === 1,
    equals: { values: targets, exactly: version === undefined },
    matches: (x) => and([isOneOf(sql`${x}.target`, targets), isVersion(x)]),
  }))
}

export function rowsOfTarget(engine: Engine, scope: Scope, { type, id }: Of<'reference'>): readonly number[] {
  if (type === undefined) {
    return engine.db
      .all<[number]>(
        'SELECT row FROM resource WHERE type IN (SELECT id FROM name WHERE parent = ?) AND id = ?',
        ...[scope.clinic, id],
      )
      .map(([row]) => row)
  }
  const typeId = engine.names.find(scope.clinic, type)
  if (typeId === undefined) return []
  return engine.db.all<[number]>('SELECT row FROM resource WHERE type = ? AND id = ?', typeId, id).map(([row]) => row)
}

export function uriTerm(engine: Engine, scope: Scope, { param, match, value }: Of<'uri'>): Term {
  return entry(engine, scope, 'uri', param, () => {
    switch (match) {
      case 'exact':
        return { index: 'uri_by_value', inRowOrder: true, matches: (x) => sql`${x}.value = ${value}` }
      case 'above':
        return { index: 'uri_by_value', matches: (x) => isOneOf(sql`${x}.value`, beginningsOf(value)) }
      case 'below':
        return { index: 'uri_by_value', matches: (x) => startsWith(sql`${x}.value`, value) }
    }
  })
}

/** A term for an entry that does not match; a value that no entry ever had is unequal to all of them. */
export function unequalTerm(engine: Engine, scope: Scope, { kind, param }: Equality, equal: Term): Term {
  return entry(engine, scope, kind, param, () => ({
    matches: equal.op === 'entry' ? (x) => not(equal.matches(x)) : () => ALWAYS,
  }))
}

/** Terms for the presence of any entry; a parameter may have had entries of several kinds. */
export function presence(engine: Engine, scope: Scope, code: string): readonly Term[] {
  const kinds = Object.keys(TABLES) as SearchedKind[]
  return kinds.map((kind) =>
    entry(engine, scope, kind, code, () => ({ counted: { by: 'presence' }, matches: () => ALWAYS })),
  )
}

export function startsWith(column: Sql, prefix: string): Sql {
  const end = successor(prefix)
  return end === undefined ? sql`${column} >= ${prefix}` : sql`(${column} >= ${prefix} AND ${column} < ${end})`
}
