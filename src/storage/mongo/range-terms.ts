/** Terms of conditions on ranges: dates, numbers, quantities, lastUpdated. */

import type { RangeBounds } from '../../search/plan.ts'
import { endsOf, type Interval, instantOf } from '../../search/range-bounds.ts'
import type { Of } from '../conditions.ts'
import type { Filter } from './collections.ts'
import { systemIs } from './entry-terms.ts'
import { keyOf, longKeyOf, SEVERAL, SHORT_SPAN } from './index-entries.ts'
import { indexedTerm, item, type Term } from './term.ts'

export function rangeTerm({ kind, param, bounds }: Of<'date' | 'number'>): Term {
  return boundedTerm(kind, param, bounds, {})
}

export function quantityTerm({ param, bounds, system, code }: Of<'quantity'>): Term {
  return boundedTerm('quantity', param, bounds, { ...systemIs(system), ...(code === undefined ? {} : { code }) })
}

function boundedTerm(kind: keyof typeof SHORT_SPAN, param: string, bounds: RangeBounds, unit: Filter): Term {
  const k = keyOf(kind, param)
  const match = { k, ...within(bounds, Number.POSITIVE_INFINITY), ...unit }
  const { lowMin, highMin } = bounds
  if (lowMin !== undefined || highMin === undefined) return indexedTerm(match)
  // Only the high end is bounded from below: so is the low end, unless the range is long.
  const short = { k, ...within(bounds, SHORT_SPAN[kind]), ...unit }
  const { low, high } = endsOf(bounds, Number.POSITIVE_INFINITY)
  const long = { k: longKeyOf(kind, param), v: between(high), ...field('low', low), ...unit }
  return indexedTerm(match, { by: [short, long] })
}

/**
 * A term that finds the resources that fulfil several conditions on one parameter, whose intersection is `condition`,
 * and the resources with several items of it, as each item may fulfil a different condition.
 */
export function intersectedTerm(condition: Of<'date' | 'number'>): Term {
  const { source } = rangeTerm(condition)
  if (source === undefined) return { filter: {} }
  const several = item({ k: SEVERAL, v: keyOf(condition.kind, condition.param) })
  const filters = [...source.filters, several]
  return { filter: {}, source: { ...source, filters, exact: false } }
}

/** Bounds on the low end `v` and on `high`. @param span which no range exceeds */
export function within(bounds: RangeBounds, span: number): Filter {
  const { low, high } = endsOf(bounds, span)
  return { ...field('v', low), ...field('high', high) }
}

const field = (name: string, { min, max }: Interval): Filter =>
  min === undefined && max === undefined ? {} : { [name]: between({ min, max }) }

const between = ({ min, max }: Interval): Filter => ({
  ...(min === undefined ? {} : { $gte: min }),
  ...(max === undefined ? {} : { $lte: max }),
})

/** A term on the time of the last update. */
export function updatedTerm(bounds: RangeBounds): Term {
  const filter = field('updated', instantOf(bounds))
  return { filter, source: { index: 'by_time', filters: [filter], exact: true, inCreationOrder: false } }
}
