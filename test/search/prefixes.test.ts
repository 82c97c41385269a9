/**
 * Prefixes on values that are ranges: the tables of docs/interactions/prefixes.md, and random searches beside the
 * rules that it quotes (https://hl7.org/fhir/R4/search.html#prefix), in memory and on the engine.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { PREFIXES, type Prefix } from '../../src/search/types/range.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { finds } from './support.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'interactions', 'prefixes.md')

type Resource = Readonly<Record<string, unknown>> & { readonly resourceType: string }
/** A resource with one value, and the parameter that it is searched by. */
interface Target {
  readonly resource: Resource
  readonly param: string
}

const observation = (elements: object): Resource => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...elements,
})
const subject = { reference: 'Patient/nobody' }
const defined = (elements: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(elements).filter(([, value]) => value !== undefined))
const period = (start: string | undefined, end: string | undefined) => defined({ start, end })
const atDate = (elements: object): Target => ({ resource: observation(elements), param: 'date' })
const quantity = (value: unknown, comparator?: string): Target => ({
  resource: observation({ valueQuantity: defined({ value, comparator }) }),
  param: 'value-quantity',
})
const range = (low?: number, high?: number): Target => ({
  resource: {
    resourceType: 'Condition',
    subject,
    onsetRange: defined({
      low: low === undefined ? low : { value: low },
      high: high === undefined ? high : { value: high },
    }),
  },
  param: 'onset-age',
})

/** How a target of the tables is written. */
const TARGETS: readonly (readonly [pattern: RegExp, target: (...parts: readonly string[]) => Target])[] = [
  [/^Period (\S+) to (\S+)$/, (start, end) => atDate({ effectivePeriod: period(start, end) })],
  [/^Period from (\S+)$/, (start) => atDate({ effectivePeriod: period(start, undefined) })],
  [/^Period until (\S+)$/, (end) => atDate({ effectivePeriod: period(undefined, end) })],
  [/^Timing of (\S+) and (\S+)$/, (...event) => atDate({ effectiveTiming: { event } })],
  [
    /^Timing within (\S+) to (\S+)$/,
    (start, end) => atDate({ effectiveTiming: { repeat: { boundsPeriod: period(start, end) } } }),
  ],
  [/^dateTime (\S+)$/, (effectiveDateTime) => atDate({ effectiveDateTime })],
  [/^date (\S+)$/, (birthDate) => ({ resource: { resourceType: 'Patient', birthDate }, param: 'birthdate' })],
  [
    /^instant (\S+)$/,
    (issued) => ({
      resource: { resourceType: 'DiagnosticReport', status: 'final', code: { text: 'x' }, issued },
      param: 'issued',
    }),
  ],
  [/^Quantity ([\d.]+)$/, (value) => quantity(Number(value))],
  [/^Quantity ([<>]=?)(\d+)$/, (comparator, value) => quantity(Number(value), comparator)],
  [/^Range (\S+) to (\S+)$/, (low, high) => range(Number(low), Number(high))],
  [/^Range from (\S+)$/, (low) => range(Number(low), undefined)],
  [/^Range until (\S+)$/, (high) => range(undefined, Number(high))],
  [
    /^decimal (\S+)$/,
    (probability) => ({
      resource: {
        resourceType: 'RiskAssessment',
        status: 'final',
        subject,
        prediction: [{ probabilityDecimal: Number(probability) }],
      },
      param: 'probability',
    }),
  ],
  [
    /^integer (\S+)$/,
    (start) => ({
      resource: { resourceType: 'MolecularSequence', coordinateSystem: 0, variant: [{ start: Number(start) }] },
      param: 'variant-start',
    }),
  ],
]

function targetOf(text: string): Target {
  for (const [pattern, target] of TARGETS) {
    const [matched, ...parts] = pattern.exec(text) ?? []
    if (matched !== undefined) return target(...parts)
  }
  throw new Error(`The tables have a target that this test does not know: ${text}`)
}

interface Case extends Target {
  readonly id: string
  readonly target: string
  readonly value: string
  readonly found: readonly Prefix[]
}

/** The prefix of the ids of the targets that a value is compared with. */
const idsFor = (value: string): string => `for-${value.replaceAll(':', '.')}-at-`

/** A heading in backquotes is a search value; the table below it has a target in each row, and a column for each prefix. */
function casesOf(page: string): readonly Case[] {
  const cases: Case[] = []
  let value = ''
  for (const line of page.split('\n')) {
    value = /^### `(.*)`$/.exec(line)?.[1] ?? (line.startsWith('#') ? '' : value)
    const [target, ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    if (value === '' || target === undefined || target === 'target' || target.startsWith('-')) continue
    const found = PREFIXES.filter((_, at) => cells[at] === 'x')
    cases.push({ id: `${idsFor(value)}${cases.length}`, target, value, found, ...targetOf(target) })
  }
  return cases
}

const CASES = casesOf(readFileSync(PAGE, 'utf8'))
/** When the dates of the tables are searched. */
const NOW = Date.UTC(2013, 2, 14, 12)
const isDate = ({ param }: Case): boolean => ['date', 'birthdate', 'issued'].includes(param)

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

async function store(resources: readonly (Resource & { readonly id: string })[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }))
  const { status, text } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect([status, text]).toEqual([200, expect.anything()])
}

/** The ids found that begin with `prefix`. */
async function idsOf(query: string, prefix: string): Promise<readonly string[]> {
  const { status, body } = await server.fhir('GET', `/${query}&_count=1000`)
  expect([query, status]).toEqual([query, 200])
  const ids: readonly string[] = (body.entry ?? []).map((entry: { resource: { id: string } }) => entry.resource.id)
  return ids.filter((id) => id.startsWith(prefix)).toSorted()
}

describe('the tables of cases', () => {
  beforeAll(() => store(CASES.map(({ id, resource }) => ({ ...resource, id }))))

  test('have every prefix and every type of value', () => {
    expect(new Set(CASES.flatMap(({ found }) => found))).toEqual(new Set(PREFIXES))
    expect(TARGETS.filter(([pattern]) => !CASES.some(({ target }) => pattern.test(target)))).toEqual([])
  })

  test.each(CASES)('$value finds $target, in memory, with $found', ({ value, resource, param, found }) => {
    const query = (prefix: string) => `${resource.resourceType}?${param}=${prefix}${value}`
    expect(PREFIXES.filter((prefix) => finds(query(prefix), resource, { now: NOW }))).toEqual(found)
  })

  const searches = CASES.flatMap((one) =>
    // The range of `ap` around a date depends on today.
    PREFIXES.filter((prefix) => prefix !== 'ap' || !isDate(one)).map((prefix) => {
      const query = `${one.resource.resourceType}?${one.param}=${prefix}${one.value}`
      return [query, { query, prefix, one }] as const
    }),
  )

  test.each([...new Map(searches).values()])('$query finds the same in the store', async ({ query, prefix, one }) => {
    const expected = CASES.filter(
      ({ param, value, found }) => param === one.param && value === one.value && found.includes(prefix),
    )
    expect(await idsOf(query, idsFor(one.value))).toEqual(expected.map(({ id }) => id).toSorted())
  })
})

/** A set of moments or numbers, as a test of its members. */
type Members = (point: number) => boolean
interface Limits {
  readonly low: number
  readonly high: number
}
const between =
  ({ low, high }: Limits): Members =>
  (point) =>
    low <= point && point <= high

/**
 * The rules as they are quoted, on sets instead of limits. Of all whole numbers only the limits, the numbers beside
 * them
 * and numbers far away on both sides can matter.
 */
function holdsByRule(prefix: Prefix, value: Limits, target: Limits): boolean {
  const limits = [value.low, value.high, target.low, target.high].filter(Number.isFinite)
  const points = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY].concat(
    limits.flatMap((limit) => [limit - 1, limit, limit + 1]),
  )
  const intersects = (one: Members, other: Members) => points.some((point) => one(point) && other(point))
  const contains = (outer: Members, inner: Members) => points.every((point) => outer(point) || !inner(point))
  const [ofValue, ofTarget] = [between(value), between(target)]
  const above: Members = (point) => point > value.high
  const below: Members = (point) => point < value.low
  switch (prefix) {
    case 'eq':
      return contains(ofValue, ofTarget)
    case 'ne':
      return !contains(ofValue, ofTarget)
    case 'gt':
      return intersects(above, ofTarget)
    case 'lt':
      return intersects(below, ofTarget)
    case 'ge':
      return intersects(above, ofTarget) || contains(ofValue, ofTarget)
    case 'le':
      return intersects(below, ofTarget) || contains(ofValue, ofTarget)
    case 'sa':
      return !intersects(ofValue, ofTarget) && contains(above, ofTarget)
    case 'eb':
      return !intersects(ofValue, ofTarget) && contains(below, ofTarget)
    case 'ap':
      return intersects(ofValue, ofTarget)
  }
}

/** A search value with the range it stands for, which depends on the prefix of a number. */
interface Value {
  readonly text: string
  readonly limits: (prefix: Prefix) => Limits
}
interface Random {
  readonly value: Value
  readonly target: Target
  readonly limits: Limits
}

const DAY = 86_400_000
const HOUR = 3_600_000

/** Months, days, hours and milliseconds of a few months, so that they often touch, contain and straddle each other. */
const dates = fc
  .record({
    month: fc.integer({ min: 0, max: 3 }),
    day: fc.constantFrom(1, 2, 28),
    hour: fc.constantFrom(0, 1, 23),
    precision: fc.constantFrom('month', 'day', 'minute', 'millisecond'),
  })
  .map(({ month, day, hour, precision }) => {
    const start = Date.UTC(2019, month, precision === 'month' ? 1 : day)
    const time = start + hour * HOUR
    const iso = new Date(time).toISOString()
    switch (precision) {
      case 'month':
        return { text: iso.slice(0, 7), stored: iso.slice(0, 7), low: start, high: Date.UTC(2019, month + 1) - 1 }
      case 'day':
        return { text: iso.slice(0, 10), stored: iso.slice(0, 10), low: start, high: start + DAY - 1 }
      case 'minute':
        // A dateTime has seconds; a search may leave them out.
        return { text: iso.slice(0, 16), stored: `${iso.slice(0, 19)}Z`, low: time, high: time + 59_999 }
      default:
        return { text: iso, stored: iso, low: time, high: time }
    }
  })

const ofStored = ({ stored, low, high }: { stored: string; low: number; high: number }): Limits => ({
  low,
  high: stored.length === 20 ? low + 999 : high,
})

const dateValues: fc.Arbitrary<Value> = dates.map(({ text, low, high }) => ({
  text,
  limits: (prefix) => {
    const tenth = prefix === 'ap' ? Math.floor((Date.now() - high) / 10) : 0
    return { low: low - tenth, high: high + tenth }
  },
}))

/** In the order of time, as a Period or a Timing has them. */
const inOrder = fc.tuple(dates, dates).map((two) => two.toSorted((one, other) => one.low - other.low))

const dateTargets: fc.Arbitrary<Pick<Random, 'target' | 'limits'>> = fc.oneof(
  dates.map((date) => ({ target: atDate({ effectiveDateTime: date.stored }), limits: ofStored(date) })),
  fc.tuple(inOrder, fc.constantFrom('both', 'start', 'end')).map(([[first, last], bounds]) => {
    if (first === undefined || last === undefined) throw new Error('Two dates are made')
    const start = bounds === 'end' ? undefined : first.stored
    const end = bounds === 'start' ? undefined : last.stored
    return {
      target: atDate({ effectivePeriod: period(start, end) }),
      limits: {
        low: start === undefined ? Number.NEGATIVE_INFINITY : ofStored(first).low,
        high: end === undefined ? Number.POSITIVE_INFINITY : ofStored(last).high,
      },
    }
  }),
  inOrder.map((both) => ({
    target: atDate({ effectiveTiming: { event: both.map(({ stored }) => stored) } }),
    limits: {
      low: Math.min(...both.map((date) => ofStored(date).low)),
      high: Math.max(...both.map((date) => ofStored(date).high)),
    },
  })),
)

/** Hundredths, twice as large, so that there is something between two of them. */
const doubled = fc
  .constantFrom(9_000, 9_949, 9_950, 9_999, 10_000, 10_001, 10_049, 10_050, 10_100, 11_000, 11_001)
  .map((hundredths) => 2 * hundredths)

const numberValues: fc.Arbitrary<Value> = fc.constantFrom(
  ...(
    [
      ['100', 20_000, 100],
      ['100.0', 20_000, 10],
      ['1e2', 20_000, 1_000],
      ['101', 20_200, 100],
      ['90', 18_000, 100],
    ] as const
  ).map(([text, value, half]) => ({
    text,
    limits: (prefix: Prefix): Limits => {
      if (prefix === 'eq' || prefix === 'ne') return { low: value - half, high: value + half - 1 }
      const tenth = prefix === 'ap' ? value / 10 : 0
      return { low: value - tenth, high: value + tenth }
    },
  })),
)

const quantityTargets: fc.Arbitrary<Pick<Random, 'target' | 'limits'>> = fc
  .tuple(doubled, fc.constantFrom(undefined, '<', '<=', '>', '>='))
  .map(([value, comparator]) => ({
    target: quantity(value / 200, comparator),
    limits: {
      low: comparator?.startsWith('<') ? Number.NEGATIVE_INFINITY : comparator === '>' ? value + 1 : value,
      high: comparator?.startsWith('>') ? Number.POSITIVE_INFINITY : comparator === '<' ? value - 1 : value,
    },
  }))

const rangeTargets: fc.Arbitrary<Pick<Random, 'target' | 'limits'>> = fc
  .tuple(doubled, doubled, fc.constantFrom('both', 'low', 'high'))
  .map(([one, other, bounds]) => {
    const [low, high] = [Math.min(one, other), Math.max(one, other)]
    return {
      target: range(bounds === 'high' ? undefined : low / 200, bounds === 'low' ? undefined : high / 200),
      limits: {
        low: bounds === 'high' ? Number.NEGATIVE_INFINITY : low,
        high: bounds === 'low' ? Number.POSITIVE_INFINITY : high,
      },
    }
  })

describe.each([
  ['dates, Periods and Timings', dateValues, dateTargets],
  ['Quantities', numberValues, quantityTargets],
  ['Ranges', numberValues, rangeTargets],
])('random %s', (kind, values, targets) => {
  const TARGETS_OF_A_KIND = 60
  const stored = fc.sample(targets, TARGETS_OF_A_KIND)
  const idOf = (index: number) => `${kind.slice(0, 5).toLowerCase().trim()}-${index}`
  const resourceType = stored[0]?.target.resource.resourceType ?? ''
  const param = stored[0]?.target.param ?? ''

  beforeAll(() => store(stored.map(({ target: { resource } }, index) => ({ ...resource, id: idOf(index) }))))

  test('are found, in memory and in the store, as the quoted rules say', async () => {
    const property = fc.asyncProperty(fc.constantFrom(...PREFIXES), values, async (prefix, { text, limits }) => {
      const query = `${resourceType}?${param}=${prefix}${text}`
      const expected = stored.filter((one) => holdsByRule(prefix, limits(prefix), one.limits))
      const inMemory = stored.filter(({ target: { resource } }) => finds(query, resource, { now: Date.now() }))
      const describeAll = (list: typeof stored) => list.map(({ target: { resource } }) => JSON.stringify(resource))
      expect([query, describeAll(inMemory)]).toEqual([query, describeAll(expected)])
      const ids = expected.map((one) => idOf(stored.indexOf(one))).toSorted()
      expect([query, await idsOf(query, idOf(0).slice(0, -1))]).toEqual([query, ids])
    })
    await fc.assert(property, { numRuns: 150 })
  })
})
