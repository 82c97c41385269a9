/** Counts the work of expressions that users wrote, so that none keeps the server busy. Others are not counted. */
import { isObject } from '../resource.ts'
import { type Collection, type Item, rawValue } from './node.ts'
import { Quantity } from './quantity.ts'
import type { Evaluate, Limits, Scope } from './scope.ts'

/** They look into whole objects, not only at them. */
const COMPARING = new Set(
  '= != ~ !~ | in contains distinct isDistinct union intersect exclude subsetOf supersetOf repeat'.split(' '),
)
/** Characters of a text that are gone through in the time that an item takes. */
const CHARACTERS_OF_ITEM = 64
/** Units are converted before they are compared. */
const WORK_OF_QUANTITY = 50

/** `base`, and what `then` makes of it, under the name of a step, function or operator. @throws Error beyond the limits */
export function counted(
  name: string,
  base: Evaluate,
  then: (items: Collection, scope: Scope) => Collection = (items) => items,
): Evaluate {
  const isDeep = COMPARING.has(name)
  return (scope) => {
    const items = base(scope)
    const { limits } = scope.session.environment
    if (limits === undefined) return then(items, scope)
    spend(limits, items, isDeep)
    const found = then(items, scope)
    if (found !== items) spend(limits, found, false)
    return found
  }
}

function spend(limits: Limits, items: Collection, isDeep: boolean): void {
  limits.left--
  for (const item of items) {
    limits.left -= weightOf(item, isDeep, limits.left)
    if (limits.left < 0) throw new Error('it takes too much work')
  }
  if (limits.left < 0) throw new Error('it takes too much work')
}

function weightOf(item: Item, isDeep: boolean, most: number): number {
  if (item instanceof Quantity) return WORK_OF_QUANTITY
  const value = rawValue(item)
  if (typeof value === 'string') return 1 + Math.floor(value.length / CHARACTERS_OF_ITEM)
  return isDeep && isObject(value) ? sizeOf(value, most) : 1
}

/** How many values there are in an object, counted up to `most`. */
function sizeOf(value: object, most: number): number {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0 && size <= most) {
    const next = open.pop()
    size += typeof next === 'string' ? 1 + Math.floor(next.length / CHARACTERS_OF_ITEM) : 1
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
  return size
}
