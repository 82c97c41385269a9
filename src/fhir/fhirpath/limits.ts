/**
 * Counts the work of expressions. It is paid from the budget of the request, and those written by users have limits of
 * their own, so that none keeps the server busy.
 */
import { Meter } from '../../budget/meter.ts'
import { isObject } from '../resource.ts'
import { type Collection, type Item, rawValue } from './node.ts'
import { isQuantity, Quantity } from './quantity.ts'
import type { Evaluate, EvaluationLimits, EvaluationScope } from './scope.ts'

/** Operators and functions that compare objects in depth. */
const COMPARING = new Set(
  '= != ~ !~ | in contains distinct isDistinct union intersect exclude subsetOf supersetOf repeat'.split(' '),
)
/** The length of text that costs as much to process as one item. */
const CHARACTERS_PER_ITEM = 64
/** Comparing quantities converts units. */
const QUANTITY_COST = 50
/** Items that are processed in a microsecond, and by the plain expressions of R4. */
const ITEMS_PER_STEP = 3
const PLAIN_ITEMS_PER_STEP = 25

const meter = new Meter('the expressions of its profiles and search parameters')

/**
 * Applies `then` to the result of `base` and counts the work of the step, function or operator `name`.
 * @throws Error beyond the limits, BudgetError
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
    count(limits, items, isDeep)
    const found = then(items, scope)
    if (found !== items) count(limits, found, false)
    return found
  }
}

/** Without limits, that is in expressions of R4, items are counted whatever their size. */
function count(limits: EvaluationLimits | undefined, items: Collection, isDeep: boolean): void {
  if (limits === undefined) {
    meter.pay((1 + items.length) / PLAIN_ITEMS_PER_STEP)
    return
  }
  const before = limits.left
  consume(limits, items, isDeep)
  meter.pay((before - limits.left) / ITEMS_PER_STEP)
  if (limits.left < 0) throw new Error('it takes too much work')
}

function consume(limits: EvaluationLimits, items: Collection, isDeep: boolean): void {
  limits.left--
  for (const item of items) {
    limits.left -= costOf(item, isDeep, limits.left)
    if (limits.left < 0) return
  }
}

/** Counts work beside the expressions, as so many items. @throws BudgetError */
export function countWork(limits: EvaluationLimits, items: number): void {
  limits.left -= items
  meter.pay(items / ITEMS_PER_STEP)
}

function costOf(item: Item, isDeep: boolean, max: number): number {
  const value = rawValue(item)
  if (value instanceof Quantity || (isDeep && isQuantity(value))) return QUANTITY_COST
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
