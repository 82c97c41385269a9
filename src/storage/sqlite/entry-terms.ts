/** Conditions on the values of one index entry, by its kind, on meta.lastUpdated, and on the presence of any entry. */

import { circleAround } from '../../fhir/great-circle.ts'
import { fold } from '../../fhir/text-folding.ts'
import { beginningsOf, type Equality, type RangeBounds } from '../../search/plan.ts'
import { endsOf, type Interval, instantOf } from '../../search/range-bounds.ts'
import { type CompositeTests, compositeTests, type ValueTest } from '../composite-key.ts'
import { type Of, successor } from '../conditions.ts'
import type { Engine } from './engine.ts'
import { TABLES } from './index-entries.ts'
import type { SearchedKind } from './interned-names.ts'
import { ALWAYS, and, isOneOf, not, or, raw, type Sql, sql, visited } from './sql.ts'
import { anyOf, type EntryTerm, type Matches, NEVER, type Scope, type Source, type Term } from './term.ts'

/** A term on an entry, found by `index`; without one, the term can only be tested row by row. */
function entry(
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
        return { matches: (x) => endsWith(sql`${x}.folded`, value) }
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

export const partTerm = (engine: Engine, scope: Scope, { param, match, value }: Of<'token-part'>): Term =>
  entry(engine, scope, 'token', param, () => ({
    // The codes of a parameter are read in a row, also for an end: looking up those of each resource takes longer.
    index: 'token_by_value',
    matches: (x) => (match === 'prefix' ? startsWith : endsWith)(sql`${x}.code`, value),
  }))

/** The comparison of systems; undefined: this parameter never had a value of the system. */
function systemIs(engine: Engine, param: number, system: string | undefined): Matches | undefined {
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

const SEARCHED_KINDS = (Object.keys(TABLES) as (keyof typeof TABLES)[]).filter((kind) => kind !== 'key')

/** Terms for the presence of any entry; a parameter may have had entries of several kinds. */
export function presence(engine: Engine, scope: Scope, code: string): readonly Term[] {
  return SEARCHED_KINDS.map((kind) =>
    entry(engine, scope, kind, code, () => ({ counted: { by: 'presence' }, matches: () => ALWAYS })),
  )
}

const endsWith = (column: Sql, end: string): Sql => sql`substr(${column}, ${-[...end].length}) = ${end}`

function startsWith(column: Sql, prefix: string): Sql {
  const end = successor(prefix)
  return end === undefined ? sql`${column} >= ${prefix}` : sql`(${column} >= ${prefix} AND ${column} < ${end})`
}

/**
 * Conditions on the words of a resource (`word_list`, index-entries.ts). Resources of an older file have their words in string_index until they are reindexed; in a new
 * file none have.
 */
export const wordsTerm = (engine: Engine, scope: Scope, condition: Of<'words'>): Term =>
  anyOf([ownTerm(engine, scope, condition), stringTerm(engine, scope, { ...condition, kind: 'string' })])

function ownTerm(engine: Engine, scope: Scope, { param: code, match, value }: Of<'words'>): Term {
  const part = match === 'equal' ? ` ${value} ` : ` ${value}`
  const matches: Matches = (x) => sql`instr(${x}.words, ${part}) > 0`
  const isListed = match === 'equal' ? sql`l.word = ${value}` : startsWith(sql`l.word`, value)
  return entry(engine, scope, 'words', code, (param) => ({
    matches,
    source: sourceOf(scope, param, isListed, matches),
  }))
}

/** The resources that have the word, among those in its lists and those that are in no list yet. */
function sourceOf(scope: Scope, param: number, isListed: Sql, matches: Matches): Source {
  return {
    from: sql`(
      SELECT r.value AS row FROM word_list AS l CROSS JOIN json_each(l.rows) AS r
        WHERE l.param = ${param} AND ${isListed}
      UNION ALL
      SELECT n.row FROM resource AS n INDEXED BY resource_by_row
        WHERE n.type = ${scope.type} AND n.live = 1 AND n.row > (SELECT row FROM word_listed)
    ) AS c CROSS JOIN word_index AS d ON d.row = c.row`,
    where: and([sql`d.param = ${param}`, visited(sql`c.row`), matches(sql`d`)]),
    row: sql`d.row`,
    inRowOrder: false,
    distinct: false,
  }
}

/** Milliseconds; longer spans than this are periods with an open end, not days, months or years. */
const LONG_SPAN = 400 * 24 * 60 * 60 * 1000

export function rangeTerm(engine: Engine, scope: Scope, { kind, param: code, bounds }: Of<'date' | 'number'>): Term {
  return entry(engine, scope, kind, code, (param) => {
    const span = kind === 'date' ? engine.names.factsOf(param).span : Number.POSITIVE_INFINITY
    return { index: rangeIndex(bounds, span), matches: (x) => within(x, bounds, span) }
  })
}

export function quantityTerm(
  engine: Engine,
  scope: Scope,
  { param: name, bounds, system: systemName, code }: Of<'quantity'>,
): Term {
  return entry(engine, scope, 'quantity', name, (param) => {
    const system = systemIs(engine, param, systemName)
    if (system === undefined) return undefined
    const span = Number.POSITIVE_INFINITY
    return {
      index: rangeIndex(bounds, span),
      matches: (x) => and([within(x, bounds, span), system(x), code === undefined ? ALWAYS : sql`${x}.code = ${code}`]),
    }
  })
}

/** The index by `low`, unless only the ends of long periods are bounded from below. */
function rangeIndex({ lowMin, lowMax, highMin, highMax }: RangeBounds, span: number): string {
  const boundedAbove = lowMax !== undefined || highMax !== undefined
  const byHigh = lowMin === undefined && highMin !== undefined && (!boundedAbove || span > LONG_SPAN)
  return byHigh ? 'range_by_high' : 'range_by_low'
}

/** Bounds on both ends of the range, which let either index seek. */
function within(x: Sql, bounds: RangeBounds, span: number): Sql {
  const { low, high } = endsOf(bounds, span)
  return and([between(sql`${x}.low`, low), between(sql`${x}.high`, high)])
}

const between = (column: Sql, { min, max }: Interval): Sql =>
  and([min === undefined ? ALWAYS : sql`${column} >= ${min}`, max === undefined ? ALWAYS : sql`${column} <= ${max}`])

/** Bounds on the time of the last update. */
export const updatedWithin = (x: Sql, bounds: RangeBounds): Sql => between(sql`${x}.updated`, instantOf(bounds))

/** One row holds all parts of one repetition, and is found by its first values at once. */
export function compositeTerm(engine: Engine, scope: Scope, condition: Of<'composite'>): Term {
  return anyOf(
    compositeTests(condition).map((tests) =>
      entry(engine, scope, 'composite', condition.param, (param) => {
        const shape = engine.names.find(param, tests.shape)
        if (shape === undefined) return undefined
        return { index: 'composite_by_value', matches: (x) => compositeMatches(x, shape, tests) }
      }),
    ),
  )
}

const compositeMatches = (x: Sql, shape: number, { text, more, low, rest }: CompositeTests): Sql =>
  and([
    sql`${x}.shape = ${shape}`,
    passes(sql`${x}.text`, text),
    passes(sql`${x}.more`, more),
    passes(sql`${x}.low`, low),
    ...[...rest].map(([place, test]) => passes(sql`(${x}.rest ->> ${raw(String(place))})`, test)),
  ])

function passes(column: Sql, test: ValueTest | undefined): Sql {
  if (test === undefined) return ALWAYS
  if ('equals' in test) return sql`${column} = ${test.equals}`
  if ('startsWith' in test) return startsWith(column, test.startsWith)
  return between(column, test)
}

/** A box of the index, and the distance of the positions within it. */
export function positionTerm(engine: Engine, scope: Scope, { param, distance, ...center }: Of<'position'>): Term {
  const { latitudes, longitudes, haversine } = circleAround(center, distance)
  return entry(engine, scope, 'position', param, () => ({
    index: 'position_by_value',
    matches: (x) =>
      and([
        isWithin(sql`${x}.latitude`, latitudes),
        or(longitudes.map((range) => isWithin(sql`${x}.longitude`, range))),
        sql`${haversineFrom(center, x)} <= ${haversine}`,
      ]),
  }))
}

const isWithin = (column: Sql, [from, to]: readonly [number, number]): Sql =>
  sql`(${column} >= ${from} AND ${column} <= ${to})`

/** haversineOf() in SQL. */
function haversineFrom({ latitude, longitude }: Pick<Of<'position'>, 'latitude' | 'longitude'>, x: Sql): Sql {
  const half = (column: Sql, from: number) => sql`pow(sin(radians(${column} - ${from}) / 2), 2)`
  const across = sql`cos(radians(${latitude})) * cos(radians(${x}.latitude))`
  return sql`(${half(sql`${x}.latitude`, latitude)} + ${across} * ${half(sql`${x}.longitude`, longitude)})`
}
