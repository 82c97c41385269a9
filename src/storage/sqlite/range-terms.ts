/** Conditions on dates, numbers, quantities and meta.lastUpdated: bounds on both ends of a range. */
import type { RangeBounds } from '../../search/plan.ts'
import type { Engine } from './engine.ts'
import { entry, systemIs } from './entry-terms.ts'
import { ALWAYS, and, raw, type Sql, sql } from './sql.ts'
import type { Of, Scope, Term } from './term.ts'

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

/**
 * Bounds on both ends of the range. As low <= high, and no range of the parameter is longer than `span` (exact for
 * milliseconds), a bound on one end bounds the other, which lets either index seek.
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

/** Bounds on the time of the last update, an instant: a range whose two ends are the same. */
export function updatedWithin(x: Sql, { lowMin, lowMax, highMin, highMax }: RangeBounds): Sql {
  const column = sql`${x}.updated`
  return and([bound(column, '>=', Math.max, [lowMin, highMin]), bound(column, '<=', Math.min, [lowMax, highMax])])
}
