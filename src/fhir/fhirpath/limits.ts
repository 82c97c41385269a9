/** Limits the work of expressions written by users, so that none keeps the server busy. */
import { isObject } from '../resource.ts'
import { type Collection, type Item, rawValue } from './node.ts'
import { Quantity } from './quantity.ts'
import type { Evaluate, EvaluationLimits, EvaluationScope } from './scope.ts'

/** Operators and functions that compare objects in depth. */
const COMPARING = new Set(
  '= != ~ !~ | in contains distinct isDistinct union intersect exclude subsetOf supersetOf repeat'.split(' '),
)
/** The length of text that costs as much to process as one item. */
const CHARACTERS_PER_ITEM = 64
/** Comparing quantities converts units. */
const QUANTITY_COST = 50

/**
 * Applies `then` to the result of `base` and counts the work of the step, function or operator `name`.
 * @throws Error beyond the limits
 */
export function counted(
  name: string,
  base: Evaluate,
  then: (items: Collection, scope: EvaluationScope) => Collection = (items) => items,
): Evaluate {
  const isDeep = COMPARING.has(name)
  return (scope) => {
    const items = base(scope)
    const { limits } = scope.evaluation.environment
    if (limits === undefined) return then(items, scope)
    spend(limits, items, isDeep)
    const found = then(items, scope)
    if (found !== items) spend(limits, found, false)
    return found
  }
}

function spend(limits: EvaluationLimits, items: Collection, isDeep: boolean): void {
  limits.left--
  for (const item of items) {
    limits.left -= costOf(item, isDeep, limits.left)
    if (limits.left < 0) throw new Error('it takes too much work')
  }
  if (limits.left < 0) throw new Error('it takes too much work')
}

function costOf(item: Item, isDeep: boolean, max: number): number {
  if (item instanceof Quantity) return QUANTITY_COST
  const value = rawValue(item)
  if (typeof value === 'string') return 1 + Math.floor(value.length / CHARACTERS_PER_ITEM)
  return isDeep && isObject(value) ? sizeOf(value, max) : 1
}

/** The number of values in an object, counted up to `max`. */
function sizeOf(value: object, max: number): number {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0 && size <= max) {
    const next = open.pop()
    size += typeof next === 'string' ? 1 + Math.floor(next.length / CHARACTERS_PER_ITEM) : 1
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
  return size
}
