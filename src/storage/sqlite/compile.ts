/**
 * A search condition with its names looked up: what is left is tables, parameter numbers and comparisons.
 * A name that was never written can't match, so it becomes `never` before any SQL is made.
 */
import { type Condition, fold, type RangeBounds } from '../../search/plan.ts'
import type { Engine } from './engine.ts'
import type { EntryKind } from './names.ts'
import { ALWAYS, and, isOneOf, or, raw, type Sql, type SqlValue, sql } from './sql.ts'

/** One resource type of one clinic. */
export interface Scope {
  readonly clinic: number
  readonly type: number
  readonly typeName: string
}

export type Term =
  | { readonly op: 'always' | 'never' }
  | { readonly op: 'any' | 'all'; readonly of: readonly Term[] }
  | { readonly op: 'not'; readonly of: Term }
  | EntryTerm
  /** A comparison on the resource's own row. */
  | { readonly op: 'resource'; readonly index: string; readonly matches: Matches }
  | { readonly op: 'chain'; readonly param: number; readonly targets: readonly ChainTarget[] }
  | { readonly op: 'has'; readonly scope: Scope; readonly param: number; readonly where: Term }

/** A comparison on the columns of the row that `alias` names. */
export type Matches = (alias: Sql) => Sql

export interface ChainTarget {
  readonly scope: Scope
  readonly where: Term
}

/** The resource has an index row of `param` that matches. */
export interface EntryTerm {
  readonly op: 'entry'
  readonly table: string
  /** The index by value that finds matching rows; absent where none does. */
  readonly index?: string
  readonly param: number
  readonly matches: Matches
  /** The index gives the rows in the order of resource rows. */
  readonly inRowOrder: boolean
  /** The term is: equal to one of these; `exactly` when nothing else is compared. */
  readonly equals?: { readonly values: readonly SqlValue[]; readonly exactly: boolean }
}

const TABLES: Readonly<Record<EntryKind, string>> = {
  string: 'string_index',
  token: 'token_index',
  reference: 'reference_index',
  uri: 'uri_index',
  date: 'range_index',
  number: 'range_index',
  quantity: 'range_index',
  position: 'position_index',
  composite: 'composite_index',
}

export function scopeOf(engine: Engine, clinicName: string, typeName: string): Scope | undefined {
  const clinic = engine.names.clinic(clinicName)
  const type = clinic === undefined ? undefined : engine.names.find(clinic, typeName)
  return clinic === undefined || type === undefined ? undefined : { clinic, type, typeName }
}

export function compile(engine: Engine, scope: Scope, condition: Condition): Term {
  switch (condition.kind) {
    case 'any':
      return anyOf([...joined(engine, scope, condition.of)])
    case 'all':
      return allOf(condition.of.map((part) => compile(engine, scope, part)))
    case 'not':
      return notOf(compile(engine, scope, condition.of))
    case 'string':
      return stringTerm(engine, scope, condition)
    case 'token':
      return tokenTerm(
        engine,
        scope,
        condition.param,
        condition.system,
        condition.code === undefined ? undefined : [condition.code],
      )
    case 'reference':
      return referenceTerm(engine, scope, condition.param, condition.version, rowsOfTarget(engine, scope, condition))
    case 'uri':
      return uriTerm(engine, scope, condition)
    case 'date':
    case 'number':
      return rangeTerm(engine, scope, condition)
    case 'quantity':
      return quantityTerm(engine, scope, condition)
    case 'missing': {
      const present = anyOf(presence(engine, scope, condition.param))
      return condition.missing ? notOf(present) : present
    }
    case 'id':
      return { op: 'resource', index: 'resource_by_id', matches: (x) => isOneOf(sql`${x}.id`, condition.ids) }
    case 'lastUpdated':
      return { op: 'resource', index: 'resource_by_updated', matches: (x) => updatedWithin(x, condition.bounds) }
    case 'chain':
      return chainTerm(engine, scope, condition)
    case 'has':
      return hasTerm(engine, scope, condition)
  }
}

type Of<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/**
 * The alternatives of an `any`, with those that differ only in the value made one comparison: `code=a,b,c` is one
 * index probe, however many values a client lists.
 */
function* joined(engine: Engine, scope: Scope, conditions: readonly Condition[]): Generator<Term> {
  const groups = new Map<string, Condition[]>()
  for (const condition of conditions) {
    const key = groupKey(condition)
    if (key === undefined) yield compile(engine, scope, condition)
    else groups.set(key, [...(groups.get(key) ?? []), condition])
  }
  for (const group of groups.values()) yield joinedGroup(engine, scope, group)
}

function groupKey(condition: Condition): string | undefined {
  if (condition.kind === 'token' && condition.code !== undefined) {
    return JSON.stringify(['token', condition.param, condition.system])
  }
  return condition.kind === 'reference' ? JSON.stringify(['reference', condition.param, condition.version]) : undefined
}

function joinedGroup(engine: Engine, scope: Scope, group: readonly Condition[]): Term {
  const [first] = group
  if (first?.kind === 'token') {
    const codes = group.flatMap((condition) => (condition.kind === 'token' ? (condition.code ?? []) : []))
    return tokenTerm(engine, scope, first.param, first.system, codes)
  }
  if (first?.kind === 'reference') {
    const rows = group.flatMap((condition) =>
      condition.kind === 'reference' ? rowsOfTarget(engine, scope, condition) : [],
    )
    return referenceTerm(engine, scope, first.param, first.version, rows)
  }
  return NEVER
}

const NEVER: Term = { op: 'never' }
const ALWAYS_HOLDS: Term = { op: 'always' }

/** Folded, so that `never` and `always` stand alone or not at all. */
function anyOf(terms: readonly Term[]): Term {
  if (terms.some(({ op }) => op === 'always')) return ALWAYS_HOLDS
  return oneOrMany('any', terms, NEVER)
}

export function allOf(terms: readonly Term[]): Term {
  if (terms.some(({ op }) => op === 'never')) return NEVER
  return oneOrMany('all', terms, ALWAYS_HOLDS)
}

function oneOrMany(op: 'any' | 'all', terms: readonly Term[], neutral: Term): Term {
  const of = terms.filter((term) => term.op !== neutral.op)
  const [first] = of
  if (first === undefined) return neutral
  return of.length === 1 ? first : { op, of }
}

function notOf(term: Term): Term {
  if (term.op === 'never') return ALWAYS_HOLDS
  return term.op === 'always' ? NEVER : { op: 'not', of: term }
}

/** `index` is what the entry is found by; without it the term can only be probed. */
function entry(
  engine: Engine,
  scope: Scope,
  kind: EntryKind,
  code: string,
  rest: (
    param: number,
  ) => (Pick<EntryTerm, 'index' | 'matches' | 'equals'> & { readonly inRowOrder?: boolean }) | undefined,
): Term {
  const param = engine.names.param(scope.type, kind, code)
  const found = param === undefined ? undefined : rest(param)
  if (param === undefined || found === undefined) return NEVER
  return { op: 'entry', table: TABLES[kind], param, inRowOrder: false, ...found }
}

function stringTerm(engine: Engine, scope: Scope, { param, match, value }: Of<'string'>): Term {
  return entry(engine, scope, 'string', param, () => {
    switch (match) {
      case 'prefix':
        return { index: 'string_by_value', matches: (x) => startsWith(sql`${x}.folded`, value) }
      case 'contains':
        return { matches: (x) => sql`instr(${x}.folded, ${value}) > 0` }
      case 'exact':
        return {
          index: 'string_by_value',
          inRowOrder: true,
          matches: (x) => sql`(${x}.folded = ${fold(value)} AND ${x}.exact = ${value})`,
        }
    }
  })
}

function tokenTerm(
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
      matches: (x) => and([isOneOf(sql`${x}.code`, codes), system(x)]),
    }
  })
}

/** undefined: this parameter never had a value of the system. */
function systemIs(engine: Engine, param: number, system: string | undefined): Matches | undefined {
  if (system === undefined) return () => ALWAYS
  const id = system === '' ? 0 : engine.names.find(param, system)
  return id === undefined ? undefined : (x) => sql`${x}.system = ${id}`
}

function referenceTerm(
  engine: Engine,
  scope: Scope,
  code: string,
  version: string | undefined,
  targets: readonly number[],
): Term {
  if (targets.length === 0) return NEVER
  return entry(engine, scope, 'reference', code, () => ({
    index: 'reference_by_target',
    inRowOrder: targets.length === 1,
    equals: { values: targets, exactly: version === undefined },
    matches: (x) =>
      and([isOneOf(sql`${x}.target`, targets), version === undefined ? ALWAYS : sql`${x}.version = ${version}`]),
  }))
}

function rowsOfTarget(engine: Engine, scope: Scope, { type, id }: Of<'reference'>): readonly number[] {
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

function uriTerm(engine: Engine, scope: Scope, { param, match, value }: Of<'uri'>): Term {
  return entry(engine, scope, 'uri', param, () => {
    switch (match) {
      case 'exact':
        return { index: 'uri_by_value', inRowOrder: true, matches: (x) => sql`${x}.value = ${value}` }
      case 'above':
        return { index: 'uri_by_value', matches: (x) => isOneOf(sql`${x}.value`, uriAndParents(value)) }
      case 'below': {
        const folder = value.endsWith('/') ? value : `${value}/`
        return { matches: (x) => or([sql`${x}.value = ${value}`, startsWith(sql`${x}.value`, folder)]) }
      }
    }
  })
}

/** Every address that `value` is below, itself included: cut at each slash, with the slash and without. */
function uriAndParents(value: string): readonly string[] {
  const slashes = [...value.matchAll(/\//g)].map((slash) => slash.index)
  return [...new Set([value, ...slashes.flatMap((index) => [value.slice(0, index), value.slice(0, index + 1)])])]
}

/** Longer than any instant, day, month or year: of periods with an open end. */
const LONG_SPAN = 400 * 24 * 60 * 60 * 1000

function rangeTerm(engine: Engine, scope: Scope, { kind, param: code, bounds }: Of<'date' | 'number'>): Term {
  return entry(engine, scope, kind, code, (param) => {
    const span = kind === 'date' ? engine.names.factsOf(param).span : Number.POSITIVE_INFINITY
    return { index: rangeIndex(bounds, span), matches: (x) => within(x, bounds, span) }
  })
}

function quantityTerm(
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

/** By `low`, unless only the ends of long periods are bounded from below. */
function rangeIndex({ lowMin, lowMax, highMin, highMax }: RangeBounds, span: number): string {
  const boundedAbove = lowMax !== undefined || highMax !== undefined
  const byHigh = lowMin === undefined && highMin !== undefined && (!boundedAbove || span > LONG_SPAN)
  return byHigh ? 'range_by_high' : 'range_by_low'
}

/**
 * Bounds on both ends of the range. low <= high, and no range of the parameter is longer than `span` (exact for
 * milliseconds): so a bound on one end bounds the other, which lets either index seek.
 */
function within(x: Sql, { lowMin, lowMax, highMin, highMax }: RangeBounds, span: number): Sql {
  const shift = Number.isSafeInteger(span) ? span : undefined
  const lows = [lowMin, moved(highMin, shift === undefined ? undefined : -shift)]
  const highs = [highMax, moved(lowMax, shift)]
  return and([
    bound(sql`${x}.low`, '>=', Math.max, lows),
    bound(sql`${x}.low`, '<=', Math.min, [lowMax, highMax]),
    bound(sql`${x}.high`, '>=', Math.max, [highMin, lowMin]),
    bound(sql`${x}.high`, '<=', Math.min, highs),
  ])
}

const moved = (value: number | undefined, by: number | undefined): number | undefined =>
  value === undefined || by === undefined ? undefined : value + by

function bound(
  column: Sql,
  operator: '>=' | '<=',
  tightest: (...values: readonly number[]) => number,
  bounds: readonly (number | undefined)[],
): Sql {
  const given = bounds.filter((value) => value !== undefined)
  return given.length === 0 ? ALWAYS : sql`${column} ${raw(operator)} ${tightest(...given)}`
}

/** An instant is a range whose two ends are one. */
function updatedWithin(x: Sql, { lowMin, lowMax, highMin, highMax }: RangeBounds): Sql {
  const column = sql`${x}.updated`
  return and([bound(column, '>=', Math.max, [lowMin, highMin]), bound(column, '<=', Math.min, [lowMax, highMax])])
}

/** A parameter may have had entries of several kinds. */
function presence(engine: Engine, scope: Scope, code: string): readonly Term[] {
  const kinds = Object.keys(TABLES) as EntryKind[]
  return kinds.map((kind) => entry(engine, scope, kind, code, () => ({ matches: () => ALWAYS })))
}

function chainTerm(engine: Engine, scope: Scope, { param: code, types, where }: Of<'chain'>): Term {
  const param = engine.names.param(scope.type, 'reference', code)
  if (param === undefined) return NEVER
  const targets = types.flatMap((typeName): ChainTarget[] => {
    const type = engine.names.find(scope.clinic, typeName)
    if (type === undefined) return []
    const target = { clinic: scope.clinic, type, typeName }
    const holds = compile(engine, target, where)
    return holds.op === 'never' ? [] : [{ scope: target, where: holds }]
  })
  return targets.length === 0 ? NEVER : { op: 'chain', param, targets }
}

function hasTerm(engine: Engine, { clinic }: Scope, { type: typeName, param: code, where }: Of<'has'>): Term {
  const type = engine.names.find(clinic, typeName)
  const param = type === undefined ? undefined : engine.names.param(type, 'reference', code)
  if (type === undefined || param === undefined) return NEVER
  const scope = { clinic, type, typeName }
  const holds = compile(engine, scope, where)
  return holds.op === 'never' ? NEVER : { op: 'has', scope, param, where: holds }
}

function startsWith(column: Sql, prefix: string): Sql {
  const end = successor(prefix)
  return end === undefined ? sql`${column} >= ${prefix}` : sql`(${column} >= ${prefix} AND ${column} < ${end})`
}

/** The least text above everything that starts with `prefix`, in the order of code points (which is that of UTF-8). */
function successor(prefix: string): string | undefined {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}
