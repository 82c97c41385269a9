/** Sort keys as SQL: the value by which a resource is sorted, and the index that has resources in that order. */
import { type SortKey, textOrderParam } from '../../search/plan.ts'
import type { Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { withCovered } from './index-entries.ts'
import { ALWAYS, and, isOneOf, joined, NEVER, raw, type Sql, sql, visited } from './sql.ts'
import type { Scope, Slices } from './term.ts'

export interface Ordering {
  readonly descending: boolean
  /** The value of the resource of `row`; NULL where it has none. */
  value(row: Sql): Sql
  /** Absent where no index has this order. */
  readonly scan?: OrderedScan
}

/** An index, as alias d, that is scanned in the requested order, with one row for each resource. */
export interface OrderedScan {
  /** Several where they are to be merged: no resource is in two of them. */
  readonly sources: readonly ScannedSource[]
  /** True for the one row of a resource by which it is sorted; tested last, as it takes as long as a condition. */
  readonly isSortRow: Sql
  readonly column: Sql
  /** The parameter whose entries are scanned; absent: a column of the resources themselves, which none lacks. */
  readonly param?: number
  /** True when a resource may have several scanned entries, of that parameter or of one that it covers. */
  readonly isRepeated: boolean
  /**
   * Set where the scan passes values that no resource of the type has, so that it pays only with at least
   * `fewCandidates` resources.
   */
  readonly needsMany?: true
  /**
   * Entries of the parameter that conditions may match although they are not sort values: their location, as alias d,
   * or 'anywhere'. Absent: every entry is a sort value.
   */
  readonly unsorted?: Pick<Source, 'from' | 'where'> | 'anywhere'
  /** A test that is true for the resources (by `row`) that the index does not have. */
  absent(row: Sql): Sql
}

interface ScannedSource extends Pick<Source, 'from' | 'where'> {
  /** Absent where the source cannot be read in slices. */
  readonly slices?: Slices
}

interface SortedColumns {
  readonly table: string
  readonly index: string
  /** The value first; then the columns that distinguish two entries of a resource with the same value. */
  readonly columns: readonly [string, ...string[]]
  /** The first column is text; an empty text is not a value. */
  readonly isText?: true
  /** A column that is never less than the first column, and by which the entries of a resource are ordered. */
  readonly atMost?: string
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
  atMost: 'low',
}

type EntrySort = Exclude<SortKey['by'], 'id' | 'lastUpdated' | 'reference'>

function sortedColumns(by: EntrySort, descending: boolean): SortedColumns {
  switch (by) {
    case 'string':
      return { table: 'string_index', index: 'string_by_value', columns: ['folded', 'exact'], isText: true }
    case 'token':
      return { table: 'token_index', index: 'token_by_value', columns: ['code', 'system'], isText: true }
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
  const range = sql`d.type = ${scope.type} AND d.live = 1`
  return {
    descending,
    value: (row) => sql`(SELECT s.${raw(column)} FROM resource AS s WHERE s.row = ${row})`,
    scan: {
      sources: [
        {
          from: sql`resource AS d INDEXED BY ${raw(index)}`,
          where: sql`${range} AND ${visited(raw('d.row'))}`,
          slices: { range, columns: ['row', column], column },
        },
      ],
      isRepeated: false,
      isSortRow: ALWAYS,
      column: raw(`d.${column}`),
      absent: () => NEVER,
    },
  }
}

const withoutValue = (descending: boolean): Ordering => ({ descending, value: () => raw('NULL') })

function byEntry({ names, covered }: Engine, scope: Scope, key: Extract<SortKey, { by: EntrySort }>): Ordering {
  const { descending } = key
  const words = key.by === 'string' ? names.param(scope.type, 'words', key.param) : undefined
  if (words !== undefined) return byWord(words, names.param(scope.type, 'string', key.param), descending)
  const codes = withCovered(covered, scope.typeName, key.param)
  const texts = key.by === 'token' ? codes.map((code) => textOrderParam(code, descending)) : []
  const params = [...codes, ...texts].flatMap((code) => names.param(scope.type, key.by, code) ?? [])
  const [param] = params
  if (param === undefined) return withoutValue(descending)
  const sorted = sortedColumns(key.by, descending)
  const { table, index, columns, atMost } = sorted
  const isRepeated = params.length > 1 || names.factsOf(param).repeated
  const [from, best] = [raw(table), raw(descending ? 'max' : 'min')]
  // Otherwise SQLite searches the highest end in the index by value rather than among the resource's rows.
  const plus = raw(atMost === undefined ? '' : '+')
  const ofResource = (one: number, row: Sql) =>
    sql`${from} AS s NOT INDEXED WHERE s.row = ${row} AND ${valuesOf(sorted, one, 's')}`
  const bestOf = (row: Sql) =>
    params.map((one) => sql`SELECT ${best}(${plus}s.${raw(columns[0])}) AS value FROM ${ofResource(one, row)}`)
  return {
    descending,
    value: (row) =>
      params.length === 1
        ? sql`(${joined(bestOf(row), '')})`
        : sql`(SELECT ${best}(a.value) FROM (${joined(bestOf(row), ' UNION ALL ')}) AS a)`,
    scan: {
      param,
      isRepeated,
      sources: params.map((one) => ({
        from: sql`${from} AS d INDEXED BY ${raw(index)}`,
        where: sql`${valuesOf(sorted, one, 'd')} AND ${visited(raw('d.row'))}`,
        slices: {
          range: valuesOf(sorted, one, 'd'),
          columns: ['row', ...(isRepeated ? ['param', ...columns] : columns.slice(0, 1))],
          column: columns[0],
        },
      })),
      isSortRow: isRepeated
        ? and(params.map((one) => isFirstOfResource(sorted, one, params.length > 1, descending)))
        : ALWAYS,
      column: raw(`d.${columns[0]}`),
      ...(sorted.isText ? { unsorted: emptyTexts(sorted, param) } : {}),
      absent: (row) => and(params.map((one) => sql`NOT EXISTS (SELECT 1 FROM ${ofResource(one, row)})`)),
    },
  }
}

/** A test for entries of a parameter that are sort values. */
function valuesOf({ columns, isText }: SortedColumns, param: number, alias: 's' | 'd'): Sql {
  const ofParam = sql`${raw(alias)}.param = ${param}`
  return isText ? sql`${ofParam} AND ${raw(`${alias}.${columns[0]}`)} > ''` : ofParam
}

const emptyTexts = ({ table, index, columns }: SortedColumns, param: number) => ({
  from: sql`${raw(table)} AS d INDEXED BY ${raw(index)}`,
  where: sql`d.param = ${param} AND ${raw(`d.${columns[0]}`)} = '' AND ${visited(raw('d.row'))}`,
})

/**
 * Sorts by the lowest or highest phonetic code of a resource, read from its words as a JSON list, which is safe as they
 * consist of letters. No index has that order, which is rarely requested. Older versions have stored these words as
 * strings.
 */
function byWord(words: number, strings: number | undefined, descending: boolean): Ordering {
  const best = raw(descending ? 'max' : 'min')
  const list = raw(`'["' || replace(trim(s.words), ' ', '","') || '"]'`)
  return {
    descending,
    value: (row) => sql`(SELECT ${best}(a.value) FROM (
      SELECT w.value FROM word_index AS s CROSS JOIN json_each(${list}) AS w WHERE s.row = ${row} AND s.param = ${words}
      UNION ALL
      SELECT +s.folded FROM string_index AS s NOT INDEXED WHERE s.row = ${row} AND s.param = ${strings ?? 0}) AS a)`,
  }
}

/**
 * A test that no entry of the resource for `param` comes before this one; of several equal entries one counts as first.
 * The table has the entries of a resource in order, so this is one seek, however many there are; by the ends of ranges,
 * it is one only for ranges that begin later than this one ends.
 */
function isFirstOfResource(sorted: SortedColumns, param: number, isOneOfSeveral: boolean, descending: boolean): Sql {
  const { table, columns, atMost } = sorted
  const comes = raw(descending ? '>' : '<')
  const tuple = (alias: string) => raw(columns.map((name) => `${alias}.${name}`).join(', '))
  const own = tuple(atMost === undefined ? 's' : '+s')
  const none = (test: Sql) => sql`NOT EXISTS (SELECT 1 FROM ${raw(table)} AS s NOT INDEXED
    WHERE s.row = d.row AND ${valuesOf(sorted, param, 's')} AND ${test})`
  const before = none(sql`${visited(raw('s.row'))} AND (${own}) ${comes} (${tuple('d')})`)
  const same = isOneOfSeveral ? none(sql`${param} < d.param AND (${own}) = (${tuple('d')})`) : ALWAYS
  if (atMost === undefined) return and([before, same])
  return and([none(sql`s.${raw(atMost)} ${comes} d.${raw(columns[0])}`), before])
}

/** Most target types whose indexes are scanned side by side. */
const MAX_TARGET_TYPES = 16

/**
 * Sorts by the id of the referenced resource: the targets are scanned in the order of their ids, with the resources
 * that refer to each. Where any type may be referenced, the candidates are collected and sorted.
 */
function byReference({ names }: Engine, scope: Scope, key: Extract<SortKey, { by: 'reference' }>): Ordering {
  const { descending, targets } = key
  const param = names.param(scope.type, 'reference', key.param)
  if (param === undefined) return withoutValue(descending)
  const types = targets?.flatMap((type) => names.find(scope.clinic, type) ?? [])
  const isTarget = types === undefined ? ALWAYS : isOneOf(raw('t.type'), types)
  const targetsOf = (row: Sql) => sql`reference_index AS s NOT INDEXED CROSS JOIN resource AS t ON t.row = s.target
    WHERE s.row = ${row} AND s.param = ${param} AND ${isTarget} AND ${visited(raw('s.target'))}`
  const value = (row: Sql) => sql`(SELECT ${raw(descending ? 'max' : 'min')}(t.id) FROM ${targetsOf(row)})`
  if (types === undefined || types.length > MAX_TARGET_TYPES) return { descending, value }
  const isRepeated = names.factsOf(param).repeated
  return {
    descending,
    value,
    scan: {
      param,
      isRepeated,
      sources: types.map((type) => ({
        from: sql`resource AS r INDEXED BY resource_by_id
          CROSS JOIN reference_index AS d INDEXED BY reference_by_target ON d.target = r.row`,
        where: sql`r.type = ${type} AND ${visited(raw('r.row'))} AND d.param = ${param} AND ${visited(raw('d.row'))}`,
      })),
      isSortRow: isRepeated
        ? sql`NOT EXISTS (SELECT 1 FROM ${targetsOf(raw('d.row'))}
            AND (t.id, s.target, s.version) ${raw(descending ? '>' : '<')} (r.id, d.target, d.version))`
        : ALWAYS,
      column: raw('r.id'),
      needsMany: true,
      // The referenced resource may be of another type, or may not exist.
      unsorted: 'anywhere',
      absent: (row) => sql`NOT EXISTS (SELECT 1 FROM ${targetsOf(row)})`,
    },
  }
}
