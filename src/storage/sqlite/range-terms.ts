/** Conditions on dates, numbers, quantities and meta.lastUpdated: bounds on both ends of a range. */

import type { RangeBounds } from '../../search/plan.ts'
import { endsOf, type Interval, instantOf } from '../../search/range-bounds.ts'
import type { Of } from '../conditions.ts'
import type { Engine } from './engine.ts'
import { entry, systemIs } from './entry-terms.ts'
import { ALWAYS, and, type Sql, sql } from './sql.ts'
import type { Scope, Term } from './term.ts'

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

export const between = (column: Sql, { min, max }: Interval): Sql =>
  and([min === undefined ? ALWAYS : sql`${column} >= ${min}`, max === undefined ? ALWAYS : sql`${column} <= ${max}`])

/** Bounds on the time of the last update. */
export const updatedWithin = (x: Sql, bounds: RangeBounds): Sql => between(sql`${x}.updated`, instantOf(bounds))
