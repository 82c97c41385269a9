/** Sort keys as SQL: the value a resource is sorted by, and the index that gives resources in that order. */
import type { SortKey } from '../../search/plan.ts'
import type { CursorKey } from '../cursor.ts'
import type { Engine } from './engine.ts'
import { and, or, raw, type Sql, sql } from './sql.ts'
import type { Scope } from './term.ts'

export interface Ordering {
  readonly descending: boolean
  /** The value of the resource of `row`; NULL where it has none. */
  value(row: Sql): Sql
  /** The index to walk, where there is one. */
  readonly walk?: Walk
}

/** An index as alias d, in the wanted order, one row per resource. */
export interface Walk {
  readonly from: Sql
  readonly where: Sql
  readonly column: Sql
  /** The parameter whose entries are walked; absent: the resource's own columns, which none lacks. */
  readonly param?: number
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
      return byReference(engine.names.param(scope.type, 'reference', key.param), key.descending)
    default:
      return byEntry(
        engine.names.param(scope.type, key.by, key.param),
        sortedColumns(key.by, key.descending),
        key.descending,
      )
  }
}

function ownColumn(scope: Scope, column: string, index: string, descending: boolean): Ordering {
  return {
    descending,
    value: (row) => sql`(SELECT s.${raw(column)} FROM resource AS s WHERE s.row = ${row})`,
    walk: {
      from: sql`resource AS d INDEXED BY ${raw(index)}`,
      where: sql`d.type = ${scope.type} AND d.live = 1`,
      column: raw(`d.${column}`),
      absent: () => raw('0'),
    },
  }
}

const withoutValue = (descending: boolean): Ordering => ({ descending, value: () => raw('NULL') })

function byEntry(param: number | undefined, { table, index, columns }: SortedColumns, descending: boolean): Ordering {
  if (param === undefined) return withoutValue(descending)
  const [from, column, best] = [raw(table), columns[0], raw(descending ? 'max' : 'min')]
  const tuple = (alias: string) => raw(columns.map((name) => `${alias}.${name}`).join(', '))
  return {
    descending,
    // Unary plus: otherwise SQLite looks for the value in the index by value rather than among the resource's own.
    value: (row) =>
      sql`(SELECT ${best}(+s.${raw(column)}) FROM ${from} AS s NOT INDEXED WHERE s.row = ${row} AND s.param = ${param})`,
    walk: {
      param,
      from: sql`${from} AS d INDEXED BY ${raw(index)}`,
      where: sql`d.param = ${param} AND NOT EXISTS (SELECT 1 FROM ${from} AS s NOT INDEXED
        WHERE s.row = d.row AND s.param = ${param} AND (${tuple('+s')}) ${raw(descending ? '>' : '<')} (${tuple('d')}))`,
      column: raw(`d.${column}`),
      absent: (row) =>
        sql`NOT EXISTS (SELECT 1 FROM ${from} AS s NOT INDEXED WHERE s.row = ${row} AND s.param = ${param})`,
    },
  }
}

/** By the id of what is referenced: no index has that order, so the candidates are collected and sorted. */
function byReference(param: number | undefined, descending: boolean): Ordering {
  if (param === undefined) return withoutValue(descending)
  return {
    descending,
    value: (row) => sql`(SELECT ${raw(descending ? 'max' : 'min')}(t.id)
      FROM reference_index AS s NOT INDEXED CROSS JOIN resource AS t ON t.row = s.target
      WHERE s.row = ${row} AND s.param = ${param})`,
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
