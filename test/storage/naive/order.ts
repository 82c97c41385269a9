/** The order of a search: the value of each resource that a sort key compares, and rows sorted by several keys. */
import { type IndexEntry, type SortKey, textOrderParam } from '../../../src/search/plan.ts'
import { column, type Fact } from './facts.ts'
import type { Member, Population } from './population.ts'
import { compareValues, type Value } from './values.ts'

/** The value of each sort key in turn; null where the resource has none. */
export type Keys = readonly (Value | null)[]

export function keysOf<Of extends Member>(population: Population<Of>, sort: readonly SortKey[]): (member: Of) => Keys {
  const columns = sort.map((key) => keyColumn(population, key))
  return (member) => columns.map((values) => values.get(member) ?? null)
}

function keyColumn<Of extends Member>(population: Population<Of>, key: SortKey): ReadonlyMap<Of, Value> {
  switch (key.by) {
    case 'id':
      return new Map(population.members.map((member) => [member, member.id]))
    case 'lastUpdated':
      return new Map(population.members.map((member) => [member, member.lastUpdated]))
    default: {
      const ofParam = (param: string) => column<Of, typeof key.by>(population.facts, key.by, param)
      const texts = key.by === 'token' ? ofParam(textOrderParam(key.param, key.descending)) : []
      return firstOfEach([...ofParam(key.param), ...texts], key.descending)
    }
  }
}

type SortedEntry = Extract<IndexEntry, { kind: Extract<SortKey, { param: string }>['by'] }>

/** The lowest value of each holder, or the highest. Later pairs of a Map replace earlier ones, so the best comes last. */
function firstOfEach<Of>(rows: readonly Fact<Of, SortedEntry>[], descending: boolean): ReadonlyMap<Of, Value> {
  const values = rows
    .map(({ holder, entry }) => [holder, comparedValue(entry, descending)] as const)
    // An empty text or code does not count as a value.
    .filter(([, value]) => value !== '')
  const inOrder = values.toSorted(([, one], [, other]) => compareValues(one, other))
  return new Map(descending ? inOrder : inOrder.reverse())
}

function comparedValue(entry: SortedEntry, descending: boolean): Value {
  switch (entry.kind) {
    case 'string':
      return entry.folded
    case 'token':
      return entry.code
    case 'reference':
      return entry.id
    case 'uri':
      return entry.value
    case 'date':
    case 'number':
    case 'quantity':
      return descending ? entry.high : entry.low
  }
}

export interface Row {
  readonly keys: Keys
  /** In the order of creation, which decides where all keys are equal. */
  readonly number: number
}

/** Sorted by the least important key first: each later pass keeps the order of equal rows. */
export function inOrder<Of extends Row>(sort: readonly SortKey[], rows: readonly Of[]): readonly Of[] {
  const byNumber = rows.toSorted((one, other) => one.number - other.number)
  return sort.reduceRight<readonly Of[]>((sorted, { descending }, place) => {
    const sign = descending ? -1 : 1
    const pairs = sorted.map((row) => [row.keys[place] ?? null, row] as const)
    const having = pairs.filter((pair): pair is readonly [Value, Of] => pair[0] !== null)
    const without = pairs.filter(([key]) => key === null)
    return [...having.toSorted(([one], [other]) => sign * compareValues(one, other)), ...without].map(([, row]) => row)
  }, byNumber)
}
