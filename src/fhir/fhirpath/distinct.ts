/**
 * Set operations on collections by equality (https://hl7.org/fhirpath/N1/#equality). Items are hashed, as comparing all
 * pairs would take too long for the hundred thousand items that a request may have.
 */
import { Meter } from '../../isolation/budget.ts'
import { isNumber } from '../json.ts'
import { isObject } from '../resource.ts'
import { baseUnits } from '../ucum.ts'
import { equalItems, rounded } from './compare.ts'
import { Moment, parseMoment } from './moment.ts'
import { type Collection, type Item, Node, rawValue } from './node.ts'
import { isQuantity, measureOf } from './quantity.ts'

/** Up to this size comparing all pairs is faster than hashing. */
const MAX_PAIRWISE = 16

/** Steps for a key, and characters of a key for a further step. */
const STEPS_PER_KEY = 5
const CHARACTERS_PER_STEP = 40

const meter = new Meter('the comparisons of its expressions')

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
const sets = new WeakMap<Collection, ItemSet>()

export function includes(items: Collection, item: Item): boolean {
  if (items.length <= MAX_PAIRWISE) return items.some((other) => equalItems(item, other) === true)
  const known = sets.get(items)
  if (known !== undefined) return known.has(item)
  const set = new ItemSet(items.length)
  for (const member of items) set.add(member)
  sets.set(items, set)
  return set.has(item)
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
