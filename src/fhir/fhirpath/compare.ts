/**
 * Equality, equivalence and order: https://hl7.org/fhirpath/N1/#equality. undefined is "empty", the third truth value. Set
 * operations hash the items, as comparing all pairs would take too long for the hundred thousand that a request may have.
 */

import { Meter } from '../../isolation/budget.ts'
import { isNumber } from '../json.ts'
import { oncePer } from '../memoize.ts'
import { isObject } from '../resource.ts'
import { baseUnits } from '../ucum.ts'
import { compareMoments, Moment, parseMoment } from './moment.ts'
import { type Collection, type Item, Node, rawValue } from './node.ts'
import { compareQuantities, isQuantity, measureOf, Quantity } from './quantity.ts'

/** FHIRPath decimals have eight fractional digits; rounding to them also hides binary rounding errors. */
const rounded = (value: unknown): number => Math.round(Number(value) * 1e8) / 1e8

function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (isNumber(left) && isNumber(right)) return rounded(left) === rounded(right)
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((one, at) => deepEqual(one, right[at]))
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length && keys.every((key) => key in right && deepEqual(left[key], right[key]))
  )
}

const momentOf = (item: Item): Moment | undefined => {
  if (item instanceof Moment) return item
  return item instanceof Node && typeof item.value === 'string' ? parseMoment(item.value) : undefined
}

/** Both items as dates or as times. A string in an expression is neither: literals are written with an @. */
function momentsOf(left: Item, right: Item): readonly [Moment, Moment] | undefined {
  const one = momentOf(left)
  const other = one === undefined ? undefined : momentOf(right)
  return one === undefined || other === undefined || (one.kind === 'Time') !== (other.kind === 'Time')
    ? undefined
    : [one, other]
}

const sameSiblings = (left: Item, right: Item): boolean =>
  !(left instanceof Node && right instanceof Node) || deepEqual(left.sibling ?? null, right.sibling ?? null)

/** Steps to compare two simple values. */
const STEPS_PER_COMPARISON = 0.2

const meter = new Meter('the comparisons of its expressions')

/** @throws BudgetError */
function equalItems(left: Item, right: Item): boolean | undefined {
  meter.pay(STEPS_PER_COMPARISON)
  const one = rawValue(left)
  const other = rawValue(right)
  if (deepEqual(one, other)) return sameSiblings(left, right)
  const moments = momentsOf(left, right)
  if (moments !== undefined) return isZero(compareMoments(...moments))
  const areQuantities = isQuantity(one) ? isQuantity(other) || isNumber(other) : isQuantity(other) && isNumber(one)
  return areQuantities ? isZero(compareQuantities(one, other)) : false
}

const isZero = (order: number | undefined): boolean | undefined =>
  order === undefined ? undefined : rounded(order) === 0

/** Equality of two collections that are not empty. */
export function equal(left: Collection, right: Collection): boolean | undefined {
  const [one, other] = [left[0], right[0]]
  if (left.length !== right.length || one === undefined || other === undefined) return false
  if (left.length === 1) return equalItems(one, other)
  return left.every((item, at) => equalItems(item, right[at] ?? '') === true)
}

const folded = (text: string): string => text.toUpperCase().replace(/\s/g, ' ')

function equivalentValues(left: unknown, right: unknown): boolean {
  meter.pay(STEPS_PER_COMPARISON)
  if (typeof left === 'string' && typeof right === 'string') return folded(left) === folded(right)
  if (isNumber(left) && isNumber(right)) return equivalentNumbers(left, right)
  if (Array.isArray(left) && Array.isArray(right)) return sameMembers(left, right, equivalentValues)
  if (!isObject(left) || !isObject(right)) return left === right
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => equivalentValues(left[key], right[key]))
}

const decimals = (value: unknown): number => (String(value).split('.')[1] ?? '').length

function equivalentNumbers(left: unknown, right: unknown): boolean {
  const digits = Math.min(decimals(left), decimals(right))
  return Number(left).toFixed(digits) === Number(right).toFixed(digits)
}

function sameMembers<T>(left: readonly T[], right: readonly T[], same: (one: T, other: T) => boolean): boolean {
  if (left.length !== right.length) return false
  const rest = [...right]
  return left.every((one) => {
    const at = rest.findIndex((other) => same(one, other))
    if (at !== -1) rest.splice(at, 1)
    return at !== -1
  })
}

function equivalentItems(left: Item, right: Item): boolean {
  const [one, other] = [rawValue(left), rawValue(right)]
  const moments = momentsOf(left, right)
  if (moments !== undefined) return compareMoments(...moments) === 0
  if (isQuantity(one) && isQuantity(other)) return isZero(compareQuantities(one, other)) === true
  return equivalentValues(one, other)
}

export const equivalent = (left: Collection, right: Collection): boolean => sameMembers(left, right, equivalentItems)

/**
 * Negative, positive or 0; undefined when precision or units leave it open.
 * @throws Error when the types have no order
 */
export function compareItems(left: Item, right: Item): number | undefined {
  const [one, other] = [rawValue(left), rawValue(right)]
  const moments = momentsOf(left, right)
  if (moments !== undefined) return compareMoments(...moments)
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other)
  if (isMeasurable(one) && isMeasurable(other)) return compareQuantities(one, other)
  throw new Error('only two numbers, two strings, two dates or times, or two quantities can be ordered')
}

const isMeasurable = (value: unknown): boolean => isNumber(value) || value instanceof Quantity || isObject(value)

/** Up to this size comparing all pairs is faster than hashing. */
const MAX_PAIRWISE = 16

/** Steps for a key, and characters of a key for a further step. */
const STEPS_PER_KEY = 5
const CHARACTERS_PER_STEP = 40

/** A set of items. Equal items have the same key; items with the same key are compared. */
class ItemSet {
  readonly #groups = new Map<string, Item[]>()
  readonly #keyed: boolean

  constructor(size: number) {
    this.#keyed = size > MAX_PAIRWISE
  }

  has(item: Item): boolean {
    return this.#groups.get(this.#keyOf(item))?.some((other) => equalItems(item, other) === true) ?? false
  }

  /** True when the item was not in the set yet. */
  add(item: Item): boolean {
    const key = this.#keyOf(item)
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, [item])
    else if (group.some((other) => equalItems(other, item) === true)) return false
    else group.push(item)
    return true
  }

  #keyOf(item: Item): string {
    if (!this.#keyed) return ''
    const key = keyOf(item)
    meter.pay(STEPS_PER_KEY + key.length / CHARACTERS_PER_STEP)
    return key
  }
}

/** The items without duplicates; the first of equal items is kept. @throws BudgetError */
export function distinctItems(items: Collection): Collection {
  if (items.length < 2) return items
  const seen = new ItemSet(items.length)
  return items.filter((item) => seen.add(item))
}

/** The set of a collection, as invariants look up one item after the other in it. */
const setOf = oncePer((items: Collection): ItemSet => {
  const set = new ItemSet(items.length)
  for (const item of items) set.add(item)
  return set
})

export function includes(items: Collection, item: Item): boolean {
  if (items.length <= MAX_PAIRWISE) return items.some((other) => equalItems(item, other) === true)
  return setOf(items).has(item)
}

/** The transitive closure: the items found from `start`, from those found, and so on until there are no new ones. */
export function closure(start: Collection, find: (items: Collection) => Collection): Collection {
  const found: Item[] = []
  const seen = new ItemSet(Number.POSITIVE_INFINITY)
  for (let current = start; current.length > 0; ) {
    current = find(current).filter((item) => seen.add(item))
    for (const item of current) found.push(item)
  }
  return found
}

function keyOf(item: Item): string {
  const key = valueKey(rawValue(item))
  return item instanceof Node && item.sibling != null ? `${key} ${canonical(item.sibling)}` : key
}

/** Strings that look like a date or time are equal when their times are. */
function valueKey(value: unknown): string {
  const moment = typeof value === 'string' ? parseMoment(value) : value
  if (moment instanceof Moment) return momentKey(moment)
  return isNumber(value) || isQuantity(value) ? measureKey(value) : canonical(value)
}

const momentKey = ({ kind, parts }: Moment): string => `${kind === 'Time'} ${parts.map(rounded).join('-')}`

/** Converted to base units, so that commensurable quantities get equal keys; a plain number has the unit 1. */
function measureKey(value: unknown): string {
  const { value: number = Number.NaN, unit = '' } = measureOf(value) ?? {}
  const base = unit === '1' ? { value: rounded(number), unit: '{}' } : baseUnits(unit, number)
  return base === undefined ? `${rounded(number)} ${unit}` : `${base.value.toPrecision(13)} ${base.unit}`
}

/** JSON with sorted properties. */
function canonical(value: unknown): string {
  if (isNumber(value)) return String(rounded(value))
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const properties = Object.keys(value).sort()
  return `{${properties.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}
