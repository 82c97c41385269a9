/**
 * Counts the work of expressions, and bounds what they hold in memory. The work is paid from the budget of the request;
 * expressions written by users have limits of their own, so that none keeps the server busy or fills its memory.
 */
import { Meter } from '../../isolation/budget.ts'
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

/** The size of a collection in an expression written by a user. */
export const MAX_ITEMS = 250_000
/** The length of a text that such an expression composes. */
const MAX_TEXT_LENGTH = 1_000_000
/** The length of composed text that takes as much memory as one item. */
const COMPOSED_PER_ITEM = 16

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
  if (limits.left < 0) throw tooMuchWork()
  checkSize(limits, items.length, MAX_ITEMS)
}

const tooMuchWork = (): Error => new Error('it takes too much work')

/**
 * Collects what `append` finds for each item. The size is checked as the collection grows: counted at its end, it might
 * have filled the memory before.
 * @throws Error beyond the limits
 */
export function gather(items: Collection, scope: EvaluationScope, append: (item: Item, into: Item[]) => void): Item[] {
  const into: Item[] = []
  for (const item of items) {
    append(item, into)
    willHold(scope, into.length)
  }
  return into
}

/** Checks the size of a collection before it is made or grows. @throws Error beyond the limits */
export function willHold({ evaluation }: EvaluationScope, items: number): void {
  const { limits } = evaluation.environment
  // Each of its items is counted later, so one with more of them than can be counted is given up now.
  if (limits !== undefined) checkSize(limits, items, Math.min(limits.left, MAX_ITEMS))
}

/** No work is left afterwards, so that what is too large once is not tried again for the next element. */
function checkSize(limits: EvaluationLimits, size: number, max: number): void {
  if (size <= max) return
  limits.left = -1
  throw tooMuchWork()
}

/** Counts a text before an expression composes it. @throws Error beyond the limits */
export function willCompose({ evaluation }: EvaluationScope, length: number): void {
  const { limits } = evaluation.environment
  if (limits === undefined) return
  checkSize(limits, length, MAX_TEXT_LENGTH)
  countWork(limits, length / COMPOSED_PER_ITEM)
  if (limits.left < 0) throw tooMuchWork()
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

/** The number of values in an object, long texts and names counted as several, up to `max`. */
function sizeOf(value: object, max: number): number {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0 && size <= max) {
    const next = open.pop()
    size += typeof next === 'string' ? 1 + Math.floor(next.length / CHARACTERS_PER_ITEM) : 1
    if (typeof next !== 'object' || next === null) continue
    for (const [name, child] of Object.entries(next)) {
      size += Math.floor(name.length / CHARACTERS_PER_ITEM)
      open.push(child)
    }
  }
  return size
}
