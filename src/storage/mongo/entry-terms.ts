/** Terms of conditions on the values of one index item, by its kind, on ids and lastUpdated, and on the presence of any. */

import { MaxKey } from 'mongodb'
import { type Circle, circleAround } from '../../fhir/great-circle.ts'
import { fold } from '../../fhir/text-folding.ts'
import { beginningsOf, type Equality, type RangeBounds } from '../../search/plan.ts'
import { endsOf, type Interval, instantOf } from '../../search/range-bounds.ts'
import { type CompositeTests, compositeTests, type ValueTest } from '../composite-key.ts'
import { type Of, successor } from '../conditions.ts'
import type { Filter } from './collections.ts'
import { bandOf, ENTRY_KINDS, keyOf, longKeyOf, SEVERAL, SHORT_SPAN } from './index-entries.ts'
import { anyOf, indexedTerm, isOneOf, item, NEVER, type Term, testedTerm } from './term.ts'

export function stringTerm({ param, match, value }: Of<'string'>): Term {
  const k = keyOf('string', param)
  switch (match) {
    case 'prefix':
      return indexedTerm({ k, v: startsWith(value) })
    case 'contains':
      return containsTerm(param, [value])
    case 'suffix':
      return value.includes('\0') ? NEVER : testedTerm({ k, v: { $regex: `${escaped(value)}$` } })
    case 'equal':
      return indexedTerm({ k, v: value }, { inCreationOrder: true })
    case 'greater':
      return indexedTerm({ k, v: { $gt: value } })
    case 'less':
      return indexedTerm({ k, v: { $gt: '', $lt: value } })
    case 'exact':
      return indexedTerm({ k, v: fold(value), exact: value }, { inCreationOrder: true })
  }
}

/** A term for strings that contain one of `values`: one regular expression, as each one is matched with every item. */
export function containsTerm(param: string, values: readonly string[]): Term {
  // A regular expression can't hold a null character; neither can a FHIR string.
  const patterns = joined(values.filter((value) => !value.includes('\0')).map(escaped))
  return anyOf(patterns.map((pattern) => testedTerm({ k: keyOf('string', param), v: { $regex: pattern } })))
}

/** Most characters of a regular expression; MongoDB allows some more. */
const MAX_PATTERN = 16_000

function joined(patterns: readonly string[]): readonly string[] {
  const result: string[] = []
  for (const pattern of patterns) {
    const last = result.at(-1)
    if (last === undefined || last.length + pattern.length >= MAX_PATTERN) result.push(pattern)
    else result[result.length - 1] = `${last}|${pattern}`
  }
  return result
}

const escaped = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export function tokenTerm({ param, system }: Of<'token'>, codes: readonly string[] | undefined): Term {
  const match = { k: keyOf('token', param), ...(codes === undefined ? {} : { v: isOneOf(codes) }), ...systemIs(system) }
  if (codes === undefined) return testedTerm(match)
  return { ...indexedTerm(match, { inCreationOrder: comesInOrder(codes) }), isLong: isLong(codes) }
}

export function partTerm({ param, match, value }: Of<'token-part'>): Term {
  const k = keyOf('token', param)
  if (match === 'prefix') return indexedTerm({ k, v: startsWith(value) })
  return value.includes('\0') ? NEVER : testedTerm({ k, v: { $regex: `${escaped(value)}$` } })
}

/** True for a few values, whose sorted ranges MongoDB merges; it does not for many. */
const comesInOrder = (values: readonly string[]): boolean => values.length <= 64

/** A comparison of systems; a token or quantity without a system has no such field. */
const systemIs = (system: string | undefined): Filter =>
  system === undefined ? {} : { system: system === '' ? { $exists: false } : system }

export function referenceTerm(condition: Of<'reference'>, ids: readonly string[]): Term {
  if (ids.length === 0) return NEVER
  const match = { k: keyOf('reference', condition.param), ...referenceMatch(condition, ids) }
  const term = indexedTerm(match, { inCreationOrder: comesInOrder(ids) })
  return { ...term, isLong: isLong(ids) }
}

/** Whether a list is too long to be repeated in each range of a source. */
const isLong = (values: readonly string[]): boolean => values.length > 1_000

function referenceMatch({ type, version, versions }: Of<'reference'>, ids: readonly string[]): Filter {
  const below = versions === undefined ? [] : [{ version: startsWith(`${version}.`) }]
  return {
    v: isOneOf(ids),
    ...(type === undefined ? {} : { type }),
    ...(version === undefined ? {} : below.length === 0 ? { version } : { $or: [{ version }, ...below] }),
  }
}

/** True where the resource has an item that does not match. */
export const unequalTerm = (condition: Equality): Term =>
  testedTerm({ k: keyOf(condition.kind, condition.param), $nor: [equalityMatch(condition)] })

function equalityMatch(condition: Equality): Filter {
  switch (condition.kind) {
    case 'token':
      return { ...(condition.code === undefined ? {} : { v: condition.code }), ...systemIs(condition.system) }
    case 'reference':
      return referenceMatch(condition, [condition.id])
    case 'uri':
      return uriMatch(condition)
  }
}

export function uriTerm(condition: Of<'uri'>): Term {
  const { param, match } = condition
  const k = keyOf('uri', param)
  const all = { k, ...uriMatch(condition) }
  switch (match) {
    case 'exact':
      return indexedTerm(all, { inCreationOrder: true })
    case 'above':
      return indexedTerm(all, { inCreationOrder: true })
    case 'below':
      return indexedTerm(all)
  }
}

function uriMatch({ match, value }: Of<'uri'>): Filter {
  switch (match) {
    case 'exact':
      return { v: value }
    case 'above':
      return { v: isOneOf(beginningsOf(value)) }
    case 'below':
      return { v: startsWith(value) }
  }
}

/** Tests for any entry; a parameter may have entries of several kinds. */
export function missingTerm({ param, missing }: Of<'missing'>): Term {
  const match = { k: { $in: ENTRY_KINDS.map((kind) => keyOf(kind, param)) } }
  return missing ? { filter: { $nor: [item(match)] } } : indexedTerm(match)
}

export function idTerm(ids: readonly string[]): Term {
  if (ids.length === 0) return NEVER
  const filter = { id: isOneOf(ids) }
  return {
    filter,
    source: { index: 'by_id', filters: [filter], exact: true, inCreationOrder: false },
    isLong: isLong(ids),
  }
}

function startsWith(prefix: string): Filter {
  const end = successor(prefix)
  return { $gte: prefix, ...(end === undefined ? {} : { $lt: end }) }
}

export function rangeTerm({ kind, param, bounds }: Of<'date' | 'number'>): Term {
  return boundedTerm(kind, param, bounds, {})
}

export function quantityTerm({ param, bounds, system, code }: Of<'quantity'>): Term {
  return boundedTerm('quantity', param, bounds, { ...systemIs(system), ...(code === undefined ? {} : { code }) })
}

function boundedTerm(kind: keyof typeof SHORT_SPAN, param: string, bounds: RangeBounds, unit: Filter): Term {
  const k = keyOf(kind, param)
  const match = { k, ...within(bounds, Number.POSITIVE_INFINITY), ...unit }
  const { lowMin, highMin } = bounds
  if (lowMin !== undefined || highMin === undefined) return indexedTerm(match)
  // Only the high end is bounded from below: so is the low end, unless the range is long.
  const short = { k, ...within(bounds, SHORT_SPAN[kind]), ...unit }
  const { low, high } = endsOf(bounds, Number.POSITIVE_INFINITY)
  const long = { k: longKeyOf(kind, param), v: between(high), ...field('low', low), ...unit }
  return indexedTerm(match, { by: [short, long] })
}

/**
 * A term that finds the resources that fulfil several conditions on one parameter, whose intersection is `condition`,
 * and the resources with several items of it, as each item may fulfil a different condition.
 */
export function intersectedTerm(condition: Of<'date' | 'number'>): Term {
  const { source } = rangeTerm(condition)
  if (source === undefined) return { filter: {} }
  const several = item({ k: SEVERAL, v: keyOf(condition.kind, condition.param) })
  const filters = [...source.filters, several]
  return { filter: {}, source: { ...source, filters, exact: false } }
}

/** Bounds on the low end `v` and on `high`. @param span which no range exceeds */
export function within(bounds: RangeBounds, span: number): Filter {
  const { low, high } = endsOf(bounds, span)
  return { ...field('v', low), ...field('high', high) }
}

const field = (name: string, { min, max }: Interval): Filter =>
  min === undefined && max === undefined ? {} : { [name]: between({ min, max }) }

const between = ({ min, max }: Interval): Filter => ({
  ...(min === undefined ? {} : { $gte: min }),
  ...(max === undefined ? {} : { $lte: max }),
})

/** A term on the time of the last update. */
export function updatedTerm(bounds: RangeBounds): Term {
  const filter = field('updated', instantOf(bounds))
  return { filter, source: { index: 'by_time', filters: [filter], exact: true, inCreationOrder: false } }
}

/** One item holds all parts of one repetition, and is found by its first values in one range. */
export const compositeTerm = (condition: Of<'composite'>): Term =>
  anyOf(compositeTests(condition).map((tests) => testsTerm(keyOf('composite', condition.param), tests)))

function testsTerm(k: string, tests: CompositeTests): Term {
  const { shape, text, more, low, rest } = tests
  return indexedTerm({
    k,
    v: { $gte: { shape, ...edge(tests, 'least') }, $lte: { shape, ...edge(tests, 'greatest') } },
    ...testOf('v.text', text),
    ...testOf('v.more', more),
    ...testOf('v.low', low),
    ...Object.assign({}, ...[...rest].map(([place, test]) => testOf(`rest.${place}`, test))),
  })
}

const END = new MaxKey()

/** An end of the index range: each equality narrows it, up to the first part without one. */
function edge({ text, more, low }: CompositeTests, end: 'least' | 'greatest'): Filter {
  const fields: Filter = {}
  for (const [name, test] of Object.entries({ text, more, low })) {
    if (test !== undefined && 'equals' in test) fields[name] = test.equals
    else return { ...fields, ...lastField(name, test, end) }
  }
  return fields
}

function lastField(
  name: string,
  test: Exclude<ValueTest, { equals: string }> | undefined,
  end: 'least' | 'greatest',
): Filter {
  const value = test === undefined ? undefined : end === 'least' ? leastOf(test) : greatestOf(test)
  if (end === 'least') return value === undefined ? {} : { [name]: value }
  return { [name]: value ?? END }
}

const leastOf = (test: Exclude<ValueTest, { equals: string }>): string | number | undefined =>
  'startsWith' in test ? test.startsWith : test.min
const greatestOf = (test: Exclude<ValueTest, { equals: string }>): string | number | undefined =>
  'startsWith' in test ? successor(test.startsWith) : test.max

function testOf(field: string, test: ValueTest | undefined): Filter {
  if (test === undefined) return {}
  if ('equals' in test) return { [field]: test.equals }
  if ('startsWith' in test) return { [field]: startsWith(test.startsWith) }
  return {
    [field]: {
      ...(test.min === undefined ? {} : { $gte: test.min }),
      ...(test.max === undefined ? {} : { $lte: test.max }),
    },
  }
}

/** A wider circle is one range of bands without bounds on the longitude: it finds many resources anyway. */
const MAX_BANDS = 24

/** A box of the index, and the distance of the positions within it. */
export function positionTerm({ param, distance, ...center }: Of<'position'>): Term {
  const circle = circleAround(center, distance)
  const k = keyOf('position', param)
  const box = indexedTerm(
    {
      k,
      latitude: isWithin(circle.latitudes),
      $or: circle.longitudes.map((range) => ({ 'v.longitude': isWithin(range) })),
    },
    { by: rangesOf(circle).map((v) => ({ k, v })) },
  )
  const isNear = { $lte: [haversineFrom(center, '$$this.latitude', '$$this.v.longitude'), circle.haversine] }
  // Items of other kinds have no coordinates, so the calculation must not be evaluated on them.
  const near = { $filter: { input: '$ix', cond: { $cond: [{ $eq: ['$$this.k', { $literal: k }] }, isNear, false] } } }
  const filter = { $and: [box.filter, { $expr: { $ne: [near, []] } }] }
  return { filter, ...(box.source === undefined ? {} : { source: { ...box.source, exact: false } }) }
}

/** The ranges of the index on bands and longitudes. */
function rangesOf({ latitudes, longitudes }: Circle): readonly Filter[] {
  const [from, to] = [bandOf(latitudes[0]), bandOf(latitudes[1])]
  if (to - from >= MAX_BANDS) return [{ $gte: { band: from }, $lte: { band: to, longitude: new MaxKey() } }]
  const bands = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return bands.flatMap((band) =>
    longitudes.map(([west, east]) => ({ $gte: { band, longitude: west }, $lte: { band, longitude: east } })),
  )
}

const isWithin = ([from, to]: readonly [number, number]): Filter => ({ $gte: from, $lte: to })

/** haversineOf() as an expression. */
function haversineFrom(
  { latitude, longitude }: Pick<Of<'position'>, 'latitude' | 'longitude'>,
  latitudeOf: string,
  longitudeOf: string,
): Filter {
  const radians = (expression: Filter | string): Filter => ({ $degreesToRadians: expression })
  const half = (field: string, from: number): Filter => ({
    $pow: [{ $sin: { $divide: [radians({ $subtract: [field, from] }), 2] } }, 2],
  })
  const across = [Math.cos((latitude * Math.PI) / 180), { $cos: radians(latitudeOf) }]
  return { $add: [half(latitudeOf, latitude), { $multiply: [...across, half(longitudeOf, longitude)] }] }
}
