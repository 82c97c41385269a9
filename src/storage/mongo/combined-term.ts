/** The term that a declared combined index makes of two equalities and a range: one short range of it. */
import type { CombinedIndex, Condition } from '../../search/plan.ts'
import { addressOf, combinedKey } from './combined.ts'
import { SHORT_SPAN } from './index-entries.ts'
import { intersection, withinShort } from './range-terms.ts'
import { item, oneOf, type Term } from './term.ts'

const MOST_COMBINATIONS = 64

/** At most one, which only finds: the conditions themselves are terms of their own. */
export function combinedTerm(
  declared: readonly CombinedIndex[],
  type: string,
  conditions: readonly Condition[],
): readonly Term[] {
  for (const one of declared) {
    const term = one.type === type ? termOf(one, conditions) : undefined
    if (term !== undefined) return [term]
  }
  return []
}

function termOf(declared: CombinedIndex, conditions: readonly Condition[]): Term | undefined {
  const ranges = conditions.flatMap((condition) =>
    condition.kind === 'date' && condition.param === declared.range ? [condition.bounds] : [],
  )
  const keys = keysOf(declared, conditions)
  if (ranges.length === 0 || keys.length === 0 || keys.length > MOST_COMBINATIONS) return undefined
  const k = oneOf(keys)
  const filters = [
    { k, ...withinShort(ranges.reduce(intersection), SHORT_SPAN.date) },
    { k, v: null },
  ].map(item)
  return {
    filter: {},
    access: { index: 'by_entry', filters, exact: false, inOrder: false, habit: 'combined', declared: true },
  }
}

/** One for each combination of the values asked for; none when a parameter is not compared. */
function keysOf(declared: CombinedIndex, conditions: readonly Condition[]): readonly string[] {
  const [firsts = [], seconds] = declared.equal.map(
    (param) => conditions.map((condition) => valuesOf(condition, param)).find((values) => values.length > 0) ?? [],
  )
  return firsts.flatMap((first) =>
    seconds === undefined
      ? [combinedKey(declared, [first])]
      : seconds.map((second) => combinedKey(declared, [first, second])),
  )
}

/** The values of which `param` must have one; none where the condition says something else. */
function valuesOf(condition: Condition, param: string): readonly string[] {
  if (condition.kind === 'any') {
    const values = condition.of.map((part) => valuesOf(part, param))
    return values.every((one) => one.length > 0) ? values.flat() : []
  }
  if (condition.kind === 'token' && condition.param === param)
    return condition.code === undefined ? [] : [condition.code]
  if (condition.kind !== 'reference' || condition.param !== param || condition.type === undefined) return []
  return [addressOf(condition.type, condition.id)]
}
