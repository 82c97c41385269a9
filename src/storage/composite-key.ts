/**
 * Composite entries in a form that an index can hold, and conditions on them in a form that it can find: first the
 * values compared for equality, then a number. `code-value-quantity` of systolic 120 mm[Hg]: text 8480-6, low 15998640.
 */
import type { Condition, PartCondition, PartEntry, RangeBounds } from '../search/plan.ts'
import { endsOf, type Interval, instantOf, present } from '../search/range-bounds.ts'

export interface CompositeKey {
  /** The kinds and names of the parts, and whether `low` is a point: only keys of the same shape are compared. */
  readonly shape: string
  /** The values of the first and second parts that are texts; '' where there is none. */
  readonly text: string
  readonly more: string
  /** The low end of the first part that is a range; 0 where there is none. */
  readonly low: number
  /** All other values, at places that the shape determines. */
  readonly rest: readonly (string | number)[]
}

/** A test of one text or number of a key. */
export type ValueTest = { readonly equals: string } | { readonly startsWith: string } | Interval

/** All tests must hold; a value without a test may be anything. */
export interface CompositeTests {
  readonly shape: string
  readonly text: ValueTest | undefined
  readonly more: ValueTest | undefined
  readonly low: ValueTest | undefined
  /** Tests by place in CompositeKey.rest. */
  readonly rest: ReadonlyMap<number, ValueTest>
}

/** The fields of a part in the order of `rest`; the first one gets its own column where one is free. */
type Fields<Field> = { readonly by: 'text' | 'range'; readonly fields: readonly [Field, ...Field[]] }

export function compositeKey(parts: readonly PartEntry[]): CompositeKey {
  const { text = '', more = '', low = 0, rest } = placed<string | number>(parts.map(fieldsOf))
  const point = rangeIn(parts, ({ low, high }) => low === high)
  return { shape: shapeOf(parts, point), text: String(text), more: String(more), low: Number(low), rest }
}

/** Alternatives, of which at least one must hold: points and ranges are tested in different ways. */
export function compositeTests({ parts }: Extract<Condition, { kind: 'composite' }>): readonly CompositeTests[] {
  const [first] = parts.filter(isRange)
  if (first === undefined) return [testsFor(parts, undefined)]
  const at = parts.indexOf(first)
  return [testsFor(parts.with(at, { ...first, bounds: pointWithin(first.bounds) }), true), testsFor(parts, false)]
}

function testsFor(parts: readonly PartCondition[], point: boolean | undefined): CompositeTests {
  const { rest, ...columns } = placed<ValueTest | undefined>(parts.map(testsOf))
  const { text, more, low } = { text: EMPTY, more: EMPTY, low: undefined, ...columns }
  return {
    ...{ shape: shapeOf(parts, point), text, more, low },
    rest: new Map(rest.flatMap((test, index) => (test === undefined ? [] : [[index, test] as const]))),
  }
}

/** The test for a column in which no part has a value, so that an index can seek by the next column. */
const EMPTY: ValueTest = { equals: '' }

/** Both ends of a point are the same, so one test does. */
function pointWithin(bounds: RangeBounds): RangeBounds {
  const { min, max } = instantOf(bounds)
  return present({ lowMin: min, lowMax: max })
}

const shapeOf = (parts: readonly { readonly kind: string; readonly param: string }[], point: boolean | undefined) =>
  JSON.stringify([...parts.map(({ kind, param }) => `${kind} ${param}`), ...(point === undefined ? [] : [point])])

type Range = Extract<PartCondition, { bounds: RangeBounds }>
const isRange = (part: PartCondition): part is Range => 'bounds' in part

function rangeIn<Answer>(
  parts: readonly PartEntry[],
  answer: (range: Extract<PartEntry, { low: number }>) => Answer,
): Answer | undefined {
  const [first] = parts.filter((part) => 'low' in part)
  return first === undefined ? undefined : answer(first)
}

interface Placed<Field> {
  readonly text?: Field
  readonly more?: Field
  readonly low?: Field
  readonly rest: readonly Field[]
}

/** Assigns the first fields of two texts and one range to their own columns. */
function placed<Field>(parts: readonly Fields<Field>[]): Placed<Field> {
  const found: { text?: Field; more?: Field; low?: Field } = {}
  const rest: Field[] = []
  for (const { by, fields } of parts) {
    const [first, ...others] = fields
    if (by === 'range' && !('low' in found)) found.low = first
    else if (by === 'text' && !('text' in found)) found.text = first
    else if (by === 'text' && !('more' in found)) found.more = first
    else rest.push(first)
    rest.push(...others)
  }
  return { ...found, rest }
}

function fieldsOf(part: PartEntry): Fields<string | number> {
  switch (part.kind) {
    case 'string':
      return { by: 'text', fields: [part.folded] }
    case 'uri':
      return { by: 'text', fields: [part.value] }
    case 'token':
      return { by: 'text', fields: [part.code, part.system] }
    case 'reference':
      return { by: 'text', fields: [part.id, part.type, part.version ?? ''] }
    case 'date':
    case 'number':
      return { by: 'range', fields: [part.low, part.high] }
    case 'quantity':
      return { by: 'range', fields: [part.low, part.high, part.system, part.code] }
  }
}

function testsOf(part: PartCondition): Fields<ValueTest | undefined> {
  switch (part.kind) {
    case 'string':
      return { by: 'text', fields: [{ startsWith: part.value }] }
    case 'uri':
      return { by: 'text', fields: [{ equals: part.value }] }
    case 'token':
      return { by: 'text', fields: [equals(part.code), equals(part.system)] }
    case 'reference':
      return { by: 'text', fields: [equals(part.id), equals(part.type), equals(part.version)] }
    case 'date':
    case 'number':
      return { by: 'range', fields: rangeTests(part.bounds) }
    case 'quantity':
      return { by: 'range', fields: [...rangeTests(part.bounds), equals(part.system), equals(part.code)] }
  }
}

const equals = (value: string | undefined): ValueTest | undefined =>
  value === undefined ? undefined : { equals: value }

function rangeTests(bounds: RangeBounds): [ValueTest | undefined, ValueTest | undefined] {
  const { low } = endsOf(bounds, Number.POSITIVE_INFINITY)
  return [between(low), between({ min: bounds.highMin, max: bounds.highMax })]
}

const between = (interval: Interval): ValueTest | undefined =>
  interval.min === undefined && interval.max === undefined ? undefined : interval
