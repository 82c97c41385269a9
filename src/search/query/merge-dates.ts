/**
 * Joins conditions on one date into one range, so that `start=ge…&start=lt…` is one short scan of an index in every
 * engine. Applies only to parameters of which a resource has one value at most: of two values, each could satisfy one
 * of the conditions.
 */
import type { Condition, RangeBounds } from '../plan.ts'
import { intersection } from '../range-bounds.ts'
import { dateCondition, LAST_UPDATED } from '../types/date.ts'
import { tighten } from '../types/range.ts'
import { any } from '../value.ts'

/** With more alternatives than this, one condition is no shorter than several. */
const MAX_ALTERNATIVES = 16

/** A union of ranges of one date parameter. */
interface Ranges {
  readonly param: string
  readonly bounds: readonly RangeBounds[]
}

/**
 * @param spanOfSingle the longest range (ms) of a date parameter that a resource has at most once, otherwise undefined
 * @returns conditions that hold for the same resources
 */
export function mergeDates(
  conditions: readonly Condition[],
  spanOfSingle: (param: string) => number | undefined,
): readonly Condition[] {
  const byDate = Map.groupBy(conditions, (condition) => rangesOf(condition)?.param)
  return [...byDate].flatMap(([param, group]) => {
    const span = param === undefined || group.length === 1 ? undefined : spanOfSingle(param)
    return param === undefined || span === undefined ? group : join(param, group, span)
  })
}

function join(param: string, group: readonly Condition[], span: number): readonly Condition[] {
  const unions = group.map((condition) => rangesOf(condition)?.bounds ?? [])
  if (unions.reduce((product, { length }) => product * length, 1) > MAX_ALTERNATIVES) return group
  const joined = unions.reduce((left, right) =>
    left
      .flatMap((one) => right.map((other) => tighten(intersection(one, other), span)))
      .filter((both) => both !== undefined),
  )
  return [any(joined.map((bounds) => dateCondition(param, bounds)))]
}

/** The ranges of a condition that consists only of ranges of one date. */
function rangesOf(condition: Condition): Ranges | undefined {
  if (condition.kind === 'lastUpdated') return { param: LAST_UPDATED, bounds: [condition.bounds] }
  if (condition.kind === 'date') return { param: condition.param, bounds: [condition.bounds] }
  if (condition.kind !== 'any') return undefined
  const parts = condition.of.map(rangesOf)
  const [first] = parts
  if (first === undefined || parts.some((part) => part?.param !== first.param)) return undefined
  return { param: first.param, bounds: parts.flatMap((part) => part?.bounds ?? []) }
}
