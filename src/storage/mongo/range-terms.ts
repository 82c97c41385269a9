/** Terms of conditions on ranges: dates, numbers, quantities, lastUpdated. */
import type { RangeBounds } from '../../search/plan.ts'
import type { Filter } from './collections.ts'
import { systemIs } from './entry-terms.ts'
import { keyOf, longKeyOf, SEVERAL, SHORT_SPAN } from './index-entries.ts'
import { indexedTerm, item, type Of, type Term } from './term.ts'

export function rangeTerm({ kind, param, bounds }: Of<'date' | 'number'>): Term {
  return boundedTerm(kind, param, bounds, {})
}

export function quantityTerm({ param, bounds, system, code }: Of<'quantity'>): Term {
  return boundedTerm('quantity', param, bounds, { ...systemIs(system), ...(code === undefined ? {} : { code }) })
}

function boundedTerm(kind: keyof typeof SHORT_SPAN, param: string, bounds: RangeBounds, unit: Filter): Term {
  const k = keyOf(kind, param)
  const match = { k, ...within(bounds), ...unit }
  const { lowMin, highMin } = bounds
  if (lowMin !== undefined || highMin === undefined) return indexedTerm(match)
  // Only the high end is bounded from below: so is the low end, unless the range is long.
  const short = { k, ...withinShort(bounds, SHORT_SPAN[kind]), ...unit }
  const long = { k: longKeyOf(kind, param), v: between(highMin, bounds.highMax), ...lowBetween(bounds), ...unit }
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

/** Bounds on the low end `v` and on `high`; as low <= high, an upper bound on `high` also bounds `v`. */
const within = ({ lowMin, lowMax, highMin, highMax }: RangeBounds): Filter => ({
  ...field('v', between(lowMin, least(lowMax, highMax))),
  ...field('high', between(highMin, highMax)),
})

/** Bounds for items not longer than `span`, for which a lower bound on `high` also bounds `v`. */
export const withinShort = (bounds: RangeBounds, span: number): Filter => {
  const lowMin = greatest(bounds.lowMin, bounds.highMin === undefined ? undefined : bounds.highMin - span)
  return within(present({ ...bounds, lowMin }))
}

/** Bounds that hold where both hold for the same range. */
export const intersection = (one: RangeBounds, other: RangeBounds): RangeBounds =>
  present({
    lowMin: greatest(one.lowMin, other.lowMin),
    lowMax: least(one.lowMax, other.lowMax),
    highMin: greatest(one.highMin, other.highMin),
    highMax: least(one.highMax, other.highMax),
  })

function present(bounds: { readonly [name in keyof RangeBounds]: number | undefined }): RangeBounds {
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined))
}

const lowBetween = ({ lowMax, highMax }: RangeBounds): Filter =>
  field('low', between(undefined, least(lowMax, highMax)))

const field = (name: string, test: Filter): Filter => (Object.keys(test).length === 0 ? {} : { [name]: test })

const between = (min: number | undefined, max: number | undefined): Filter => ({
  ...(min === undefined ? {} : { $gte: min }),
  ...(max === undefined ? {} : { $lte: max }),
})

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

/** A term on the time of the last update, an instant: a range whose two ends are equal. */
export function updatedTerm({ lowMin, lowMax, highMin, highMax }: RangeBounds): Term {
  const bounds = present({ lowMin: greatest(lowMin, highMin), lowMax: least(lowMax, highMax) })
  const filter = field('updated', between(bounds.lowMin, bounds.lowMax))
  return {
    filter,
    source: { index: 'by_time', filters: [filter], exact: true, inCreationOrder: false },
  }
}

const greatest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
