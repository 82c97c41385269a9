/**
 * Which items of a collection are equal (https://hl7.org/fhirpath/N1/#equality), without comparing all pairs: a request
 * may hold a hundred thousand of them.
 */
import { isNumber } from '../json.ts'
import { isObject } from '../resource.ts'
import { equalItems, rounded } from './compare.ts'
import { baseUnits } from './library.ts'
import { Moment, parseMoment } from './moment.ts'
import { type Collection, type Item, Node, rawValue } from './node.ts'
import { isQuantity, measureOf } from './quantity.ts'

/** Up to here comparing all pairs is quicker than making keys. */
const FEW = 16

/** Items that are equal have the same key; those of one key are compared with each other. */
class ItemSet {
  readonly #groups = new Map<string, Item[]>()
  readonly #keyed: boolean

  constructor(size: number) {
    this.#keyed = size > FEW
  }

  has(item: Item): boolean {
    return this.#groups.get(this.#keyOf(item))?.some((other) => equalItems(item, other) === true) ?? false
  }

  /** Whether it was not there before. */
  add(item: Item): boolean {
    const key = this.#keyOf(item)
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, [item])
    else if (group.some((other) => equalItems(other, item) === true)) return false
    else group.push(item)
    return true
  }

  #keyOf(item: Item): string {
    return this.#keyed ? keyOf(item) : ''
  }
}

/** Each value once, the first one kept. */
export function distinct(items: Collection): Collection {
  if (items.length < 2) return items
  const seen = new ItemSet(items.length)
  return items.filter((item) => seen.add(item))
}

/** Collections that a rule asks for one item after the other. */
const sets = new WeakMap<Collection, ItemSet>()

export function includes(items: Collection, item: Item): boolean {
  if (items.length <= FEW) return items.some((other) => equalItems(item, other) === true)
  const known = sets.get(items)
  if (known !== undefined) return known.has(item)
  const set = new ItemSet(items.length)
  for (const member of items) set.add(member)
  sets.set(items, set)
  return set.has(item)
}

/** What is found for `start`, and again for what is found, until there is nothing new. */
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

/** Text that looks like a date may be compared as one. */
function valueKey(value: unknown): string {
  const moment = typeof value === 'string' ? parseMoment(value) : value
  if (moment instanceof Moment) return momentKey(moment)
  return isNumber(value) || isQuantity(value) ? measureKey(value) : canonical(value)
}

const momentKey = ({ kind, parts }: Moment): string => `${kind === 'Time'} ${parts.map(rounded).join('-')}`

/** Units of one dimension meet in its base units; 1 is the unit of a plain number. */
function measureKey(value: unknown): string {
  const { value: number = Number.NaN, unit = '' } = measureOf(value) ?? {}
  const base = unit === '1' ? { value: rounded(number), unit: '{}' } : baseUnits(unit, number)
  return base === undefined ? `${rounded(number)} ${unit}` : `${base.value.toPrecision(13)} ${base.unit}`
}

/** The same text for objects that differ in the order of their properties only. */
function canonical(value: unknown): string {
  if (isNumber(value)) return String(rounded(value))
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const properties = Object.keys(value).sort()
  return `{${properties.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}
