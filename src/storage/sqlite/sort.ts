/** Sort keys as SQL: the value a resource is sorted by, and the index that gives resources in that order. */
import type { SortKey } from '../../search/plan.ts'
import type { CursorKey } from '../cursor.ts'
import type { Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { ALWAYS, and, isOneOf, NEVER, or, raw, type Sql, sql } from './sql.ts'
import type { Scope } from './term.ts'

export interface Ordering {
  readonly descending: boolean
  /** The value of the resource of `row`; NULL where it has none. */
  value(row: Sql): Sql
  /** The index to walk, where there is one. */
  readonly walk?: Walk
}

/** An index as alias d, in the wanted order, with one row per resource. */
export interface Walk {
  /** Several where they are to be merged: no resource is in two. */
  readonly sources: readonly Pick<Source, 'from' | 'where'>[]
  /** Holds for the one of a resource's rows that it is sorted by; probed last, as it takes as long as a condition. */
  readonly isLeast: Sql
  readonly column: Sql
  /** The parameter whose entries are walked; absent: the resource's own columns, which none lacks. */
  readonly param?: number
  /** Passes over what no resource of the type has: only where there are more of these than `fewCandidates`. */
  readonly onlyAmongMany?: true
  /** True for the resources (by `row`) that the index does not have. */
  absent(row: Sql): Sql
}

/** Where a page ended. */
export interface Position {
  readonly keys: readonly CursorKey[]
  readonly row: number
}

interface SortedColumns {
  readonly table: string
  readonly index: string
  /** The value first; then the columns that tell two entries of a resource with the same value apart. */
  readonly columns: readonly [string, ...string[]]
}

const RANGE_BY_LOW: SortedColumns = {
  table: 'range_index',
  index: 'range_by_low',
  columns: ['low', 'high', 'system', 'code'],
}
const RANGE_BY_HIGH: SortedColumns = {
  table: 'range_index',
  index: 'range_by_high',
  columns: ['high', 'low', 'system', 'code'],
}

type EntrySort = Exclude<SortKey['by'], 'id' | 'lastUpdated' | 'reference'>

function sortedColumns(by: EntrySort, descending: boolean): SortedColumns {
  switch (by) {
    case 'string':
      return { table: 'string_index', index: 'string_by_value', columns: ['folded', 'exact'] }
    case 'token':
      return { table: 'token_index', index: 'token_by_value', columns: ['code', 'system'] }
    case 'uri':
      return { table: 'uri_index', index: 'uri_by_value', columns: ['value'] }
    case 'date':
    case 'number':
    case 'quantity':
      return descending ? RANGE_BY_HIGH : RANGE_BY_LOW
  }
}

export function orderingOf(engine: Engine, scope: Scope, key: SortKey): Ordering {
  switch (key.by) {
    case 'id':
      return ownColumn(scope, 'id', 'resource_by_id', key.descending)
    case 'lastUpdated':
      return ownColumn(scope, 'updated', 'resource_by_updated', key.descending)
    case 'reference':
      return byReference(engine, scope, key)
    default:
      return byEntry(engine, scope, key)
  }
}

function ownColumn(scope: Scope, column: string, index: string, descending: boolean): Ordering {
  return {
    descending,
    value: (row) => sql`(SELECT s.${raw(column)} FROM resource AS s WHERE s.row = ${row})`,
    walk: {
      sources: [
        {
          from: sql`resource AS d INDEXED BY ${raw(index)}`,
          where: sql`d.type = ${scope.type} AND d.live = 1`,
        },
      ],
      isLeast: ALWAYS,
      column: raw(`d.${column}`),
      absent: () => NEVER,
    },
  }
}

const withoutValue = (descending: boolean): Ordering => ({ descending, value: () => raw('NULL') })

function byEntry({ names }: Engine, scope: Scope, key: Extract<SortKey, { by: EntrySort }>): Ordering {
  const { descending } = key
  const param = names.param(scope.type, key.by, key.param)
  if (param === undefined) return withoutValue(descending)
  const { table, index, columns } = sortedColumns(key.by, descending)
  const [from, column, best] = [raw(table), columns[0], raw(descending ? 'max' : 'min')]
  const tuple = (alias: string) => raw(columns.map((name) => `${alias}.${name}`).join(', '))
  return {
    descending,
    // Unary plus: otherwise SQLite looks for the value in the index by value rather than among the resource's own.
    value: (row) =>
      sql`(SELECT ${best}(+s.${raw(column)}) FROM ${from} AS s NOT INDEXED WHERE s.row = ${row} AND s.param = ${param})`,
    walk: {
      param,
      sources: [{ from: sql`${from} AS d INDEXED BY ${raw(index)}`, where: sql`d.param = ${param}` }],
      isLeast: names.factsOf(param).repeated
        ? sql`NOT EXISTS (SELECT 1 FROM ${from} AS s NOT INDEXED
            WHERE s.row = d.row AND s.param = ${param} AND (${tuple('+s')}) ${raw(descending ? '>' : '<')} (${tuple('d')}))`
        : ALWAYS,
      column: raw(`d.${column}`),
      absent: (row) =>
        sql`NOT EXISTS (SELECT 1 FROM ${from} AS s NOT INDEXED WHERE s.row = ${row} AND s.param = ${param})`,
    },
  }
}

/** So many targets are walked side by side. */
const MOST_TARGET_TYPES = 16

/**
 * By the id of what is referenced: the targets are walked in the order of their ids, and from each one what refers to
 * it. Where anything may be referenced, the candidates are collected and sorted.
 */
function byReference({ names }: Engine, scope: Scope, key: Extract<SortKey, { by: 'reference' }>): Ordering {
  const { descending, targets } = key
  const param = names.param(scope.type, 'reference', key.param)
  if (param === undefined) return withoutValue(descending)
  const types = targets?.flatMap((type) => names.find(scope.clinic, type) ?? [])
  const isTarget = types === undefined ? ALWAYS : isOneOf(raw('t.type'), types)
  const targetsOf = (row: Sql) => sql`reference_index AS s NOT INDEXED CROSS JOIN resource AS t ON t.row = s.target
    WHERE s.row = ${row} AND s.param = ${param} AND ${isTarget}`
  const value = (row: Sql) => sql`(SELECT ${raw(descending ? 'max' : 'min')}(t.id) FROM ${targetsOf(row)})`
  if (types === undefined || types.length > MOST_TARGET_TYPES) return { descending, value }
  return {
    descending,
    value,
    walk: {
      param,
      sources: types.map((type) => ({
        from: sql`resource AS r INDEXED BY resource_by_id
          CROSS JOIN reference_index AS d INDEXED BY reference_by_target ON d.target = r.row`,
        where: sql`r.type = ${type} AND d.param = ${param}`,
      })),
      isLeast: names.factsOf(param).repeated
        ? sql`NOT EXISTS (SELECT 1 FROM ${targetsOf(raw('d.row'))}
            AND (t.id, s.target, s.version) ${raw(descending ? '>' : '<')} (r.id, d.target, d.version))`
        : ALWAYS,
      column: raw('r.id'),
      onlyAmongMany: true,
      absent: (row) => sql`NOT EXISTS (SELECT 1 FROM ${targetsOf(row)})`,
    },
  }
}

/** Ties go by row, in the direction of the last key, so that a walk through its index has the whole order. */
export const rowsDescend = (keys: readonly Pick<SortKey, 'descending'>[]): boolean => keys.at(-1)?.descending ?? false

export const direction = (descending: boolean): Sql => raw(descending ? 'DESC' : 'ASC')

/** True for what comes after `position`; a missing value comes after every value. */
export function comesAfter(orderings: readonly Ordering[], values: readonly Sql[], row: Sql, position: Position): Sql {
  const operator = raw(rowsDescend(orderings) ? '<' : '>')
  return orderings.reduceRight((later: Sql, ordering, index) => {
    const [value, key] = [values[index] ?? raw('NULL'), position.keys[index] ?? null]
    if (key === null) return and([sql`${value} IS NULL`, later])
    const beyond = sql`${value} ${raw(ordering.descending ? '<' : '>')} ${key}`
    return or([beyond, sql`${value} IS NULL`, and([sql`${value} = ${key}`, later])])
  }, sql`${row} ${operator} ${position.row}`)
}

/** The order that the statements give, for rows of several of them. */
export function comparePositions(keys: readonly Pick<SortKey, 'descending'>[], one: Position, other: Position): number {
  for (const [index, { descending }] of keys.entries()) {
    const [left, right] = [one.keys[index] ?? null, other.keys[index] ?? null]
    if (left === right) continue
    if (left === null) return 1
    if (right === null) return -1
    return descending ? compareValues(right, left) : compareValues(left, right)
  }
  return rowsDescend(keys) ? other.row - one.row : one.row - other.row
}

/** Texts as SQLite compares them: by the bytes of UTF-8. */
function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
