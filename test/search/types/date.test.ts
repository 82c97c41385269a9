/** https://hl7.org/fhir/R4/search.html#date and #prefix */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { SearchParameter } from '../../../src/search/parameters.ts'
import { BEGINNING_OF_TIME, type Condition, END_OF_TIME, type IndexEntry } from '../../../src/search/plan.ts'
import { mergeDates } from '../../../src/search/query/merge-dates.ts'
import { parseDate, spanOf } from '../../../src/search/types/date.ts'
import { PREFIXES, type Prefix } from '../../../src/search/types/range.ts'
import { BASE, entriesOf, finds, holds, OPTIONS, refusal, where } from '../support.ts'

const at = (text: string): number => Date.parse(text)
const DAY = 86_400_000

describe('the dates of a resource', () => {
  test.each([
    ['Patient', { birthDate: '1980' }, 'birthdate', '1980-01-01T00:00Z', '1980-12-31T23:59:59.999Z'],
    ['Patient', { birthDate: '1980-02' }, 'birthdate', '1980-02-01T00:00Z', '1980-02-29T23:59:59.999Z'],
    ['Patient', { birthDate: '1980-02-03' }, 'birthdate', '1980-02-03T00:00Z', '1980-02-03T23:59:59.999Z'],
    [
      'Task',
      { authoredOn: '2024-05-01T10:00:00+02:00' },
      'authored-on',
      '2024-05-01T08:00:00Z',
      '2024-05-01T08:00:00.999Z',
    ],
    ['Slot', { start: '2024-05-01T10:00:00Z' }, 'start', '2024-05-01T10:00:00Z', '2024-05-01T10:00:00Z'],
    [
      'Encounter',
      { period: { start: '2024-05-01', end: '2024-05-02' } },
      'date',
      '2024-05-01T00:00Z',
      '2024-05-02T23:59:59.999Z',
    ],
    [
      'Observation',
      { effectiveTiming: { event: ['2024-05-03', '2024-05-01'] } },
      'date',
      '2024-05-01T00:00Z',
      '2024-05-03T23:59:59.999Z',
    ],
    [
      'ServiceRequest',
      { occurrenceTiming: { repeat: { boundsPeriod: { start: '2024-05-01', end: '2024-05' } } } },
      'occurrence',
      '2024-05-01T00:00Z',
      '2024-05-31T23:59:59.999Z',
    ],
  ])('%s %j: %s from %s to %s', (resourceType, elements, param, low, high) => {
    expect(entriesOf(param, { resourceType, ...elements })).toEqual([
      { kind: 'date', param, low: at(low), high: at(high) },
    ])
  })

  test.each([
    [{ start: '2024' }, { low: at('2024-01-01'), high: END_OF_TIME }],
    [{ end: '2024' }, { low: BEGINNING_OF_TIME, high: at('2025-01-01') - 1 }],
  ])('a period %j is open at its other end', (period, range) => {
    expect(entriesOf('date', { resourceType: 'Encounter', period })).toEqual([
      { kind: 'date', param: 'date', ...range },
    ])
  })

  test.each([{ repeat: { frequency: 1 } }, { code: { text: 'daily' } }])(
    'a timing without dates lasts all the time: %j',
    (occurrenceTiming) => {
      const request = { resourceType: 'ServiceRequest', occurrenceTiming }
      expect(entriesOf('occurrence', request)).toEqual([
        { kind: 'date', param: 'occurrence', low: BEGINNING_OF_TIME, high: END_OF_TIME },
      ])
    },
  )

  test('a text where a date may stand is none', () => {
    expect(entriesOf('date', { resourceType: 'Procedure', performedString: 'last summer' })).toEqual([])
  })
})

describe('a date in a query', () => {
  const [low, high] = [at('1980-02-03'), at('1980-02-03') + DAY - 1]
  test.each([
    ['birthdate=1980-02-03', { lowMin: low, lowMax: high, highMax: high }],
    ['birthdate=sa1980-02-03', { lowMin: high + 1 }],
    ['birthdate=eb1980-02-03', { lowMax: low - 1, highMax: low - 1 }],
    ['birthdate=lt1980-02-03', { lowMax: low - 1 }],
    // No range is longer than a leap year, so one that ends later cannot begin more than a year before.
    ['birthdate=gt1980-02-03', { lowMin: high + 2 - 366 * DAY, highMin: high + 1 }],
    // No range that begins before a year ends after it, so one bound is enough.
    ['birthdate=ge1980', { lowMin: at('1980-01-01') }],
    ['birthdate=le1980', { lowMax: at('1981-01-01') - 1, highMax: at('1981-01-01') - 1 }],
  ])('%s: %j', (query, bounds) => {
    expect(where(`Patient?${query}`)).toEqual([{ kind: 'date', param: 'birthdate', bounds }])
  })

  test.each([
    ['start=ge2024-05-01T10:00:00Z', { lowMin: at('2024-05-01T10:00Z') }],
    ['start=le2024-05-01', { lowMax: at('2024-05-02') - 1 }],
    ['start=gt2024-05-01', { lowMin: at('2024-05-02') }],
    ['start=2024-05-01T10:00:00.000Z', { lowMin: at('2024-05-01T10:00Z'), lowMax: at('2024-05-01T10:00Z') }],
    ['start=2024-05-01T10:00:00+02:00', { lowMin: at('2024-05-01T08:00Z'), lowMax: at('2024-05-01T08:00Z') + 999 }],
    // An unencoded plus arrives as a space.
    ['start=2024-05-01T10:00:00 02:00', { lowMin: at('2024-05-01T08:00Z'), lowMax: at('2024-05-01T08:00Z') + 999 }],
    ['start=2024-05-01T10:00Z', { lowMin: at('2024-05-01T10:00Z'), lowMax: at('2024-05-01T10:00:59.999Z') }],
    // A fraction of a second is as long as its last digit says, a millisecond at least.
    [
      'start=2024-05-01T10:00:00.5Z',
      { lowMin: at('2024-05-01T10:00:00.500Z'), lowMax: at('2024-05-01T10:00:00.599Z') },
    ],
    [
      'start=2024-05-01T10:00:00.25Z',
      { lowMin: at('2024-05-01T10:00:00.250Z'), lowMax: at('2024-05-01T10:00:00.259Z') },
    ],
    [
      'start=2024-05-01T10:00:00.1239Z',
      { lowMin: at('2024-05-01T10:00:00.123Z'), lowMax: at('2024-05-01T10:00:00.123Z') },
    ],
    // A leap second is in the second before it, which JavaScript knows.
    ['start=2016-12-31T23:59:60Z', { lowMin: at('2016-12-31T23:59:59Z'), lowMax: at('2016-12-31T23:59:59.999Z') }],
    ['start=ge2024-05-01&start=lt2024-05-08', { lowMin: at('2024-05-01'), lowMax: at('2024-05-08') - 1 }],
  ])('of an instant is one range of points: %s', (query, bounds) => {
    expect(where(`Slot?${query}`)).toEqual([{ kind: 'date', param: 'start', bounds }])
  })

  test('that the period of a resource may straddle makes two disjoint alternatives for ge', () => {
    expect(where('Encounter?date=ge2024')).toEqual([
      {
        kind: 'any',
        of: [
          { kind: 'date', param: 'date', bounds: { lowMin: at('2024-01-01') } },
          { kind: 'date', param: 'date', bounds: { lowMax: at('2024-01-01') - 1, highMin: at('2025-01-01') } },
        ],
      },
    ])
  })

  test('for _lastUpdated is a condition on the store’s own time', () => {
    expect(where('Patient?_lastUpdated=gt2024-01-01&_lastUpdated=lt2024-02')).toEqual([
      { kind: 'lastUpdated', bounds: { lowMin: at('2024-01-02'), lowMax: at('2024-02-01') - 1 } },
    ])
  })

  test('with ap is wider by a tenth of the time since or until then', () => {
    const now = at('2024-01-01')
    const then = at('2023-12-22')
    expect(OPTIONS.now).toBe(now)
    const gap = now - (then + DAY - 1)
    expect(where('Slot?start=ap2023-12-22')).toEqual([
      {
        kind: 'date',
        param: 'start',
        bounds: { lowMin: then - Math.floor(gap / 10), lowMax: then + DAY - 1 + Math.floor(gap / 10) },
      },
    ])
  })

  test.each([
    ['a day in the future', 'ap2024-01-21', '2024-01-19T00:00Z', '2024-01-23T23:59:59.999Z'],
    ['a moment in the future', 'ap2024-01-11T00:00:00.000Z', '2024-01-10T00:00Z', '2024-01-12T00:00Z'],
    ['the day that it is', 'ap2024-01-01', '2024-01-01T00:00Z', '2024-01-01T23:59:59.999Z'],
  ])('with ap is wider on both sides by a tenth of the time until %s: %s', (_what, date, low, high) => {
    expect(where(`Slot?start=${date}`)).toEqual([
      { kind: 'date', param: 'start', bounds: { lowMin: at(low), lowMax: at(high) } },
    ])
  })

  test.each([
    '2020-13',
    '2023-02-29',
    '2020-1-1',
    '20200101',
    'xx2020',
    'ge',
    'today',
    '2020-01-01T10',
    '2020-01-01T25:00Z',
    '2020-01-01T10:00:00GMT',
  ])('that does not exist is refused: %s', (date) => {
    expect(refusal(`Patient?birthdate=${date}`)).toBe(
      `birthdate=${date}: '${date}' is not a date; write YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss][zone] after one of eq, ne, gt, lt, ge, le, sa, eb, ap or nothing`,
    )
  })
})

describe('two conditions on one date', () => {
  const start = { low: at('2024-05-01'), high: at('2024-05-07') - 1 }

  test('become one range where a resource has one such date', () => {
    expect(where('Patient?birthdate=ge1980&birthdate=lt1990')).toEqual([
      { kind: 'date', param: 'birthdate', bounds: { lowMin: at('1980-01-01'), lowMax: at('1990-01-01') - 1 } },
    ])
  })

  test.each([
    ['lt1990', 'lt1980', { lowMax: at('1980-01-01') - 1 }],
    ['eb1990', 'eb1980', { lowMax: at('1980-01-01') - 1, highMax: at('1980-01-01') - 1 }],
    ['le1990', 'le1980', { lowMax: at('1981-01-01') - 1, highMax: at('1981-01-01') - 1 }],
    ['ge1980', 'ge1990', { lowMin: at('1990-01-01') }],
    ['sa1980', 'sa1990', { lowMin: at('1991-01-01') }],
  ])('on one side become the tighter one, whichever comes first: %s and %s', (one, other, bounds) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ]) {
      expect(where(`Patient?birthdate=${first}&birthdate=${second}`)).toEqual([
        { kind: 'date', param: 'birthdate', bounds },
      ])
    }
  })

  test('stay two where it may have several: each may be met by another', () => {
    const goal = { resourceType: 'Goal', target: [{ dueDate: '2020-01-01' }, { dueDate: '2024-01-01' }] }
    expect(where('Goal?target-date=lt2021&target-date=gt2023')).toHaveLength(2)
    expect(finds('Goal?target-date=lt2021&target-date=gt2023', goal)).toBe(true)
  })

  test('that exclude each other find nothing', () => {
    expect(where('Patient?birthdate=gt1990&birthdate=lt1980')).toEqual([{ kind: 'any', of: [] }])
  })

  test('keep their alternatives', () => {
    const merged = where('Encounter?date=ge2024-05-02&date=le2024-05-03')
    expect(merged).toHaveLength(1)
    const entry: IndexEntry = { kind: 'date', param: 'date', ...start }
    expect(merged.every((condition) => holds(condition, [entry]))).toBe(true)
  })
})

/** The prefixes in the words of R4, on closed ranges of milliseconds. */
interface Range {
  readonly low: number
  readonly high: number
}
const contains = (outer: Range, inner: Range) => outer.low <= inner.low && inner.high <= outer.high
const overlaps = (one: Range, other: Range) => one.low <= other.high && other.low <= one.high
const above = ({ high }: Range): Range => ({ low: high + 1, high: Number.POSITIVE_INFINITY })
const below = ({ low }: Range): Range => ({ low: Number.NEGATIVE_INFINITY, high: low - 1 })
const widened = ({ low, high }: Range): Range => {
  const tenth = Math.floor(Math.max(low - (OPTIONS.now ?? 0), (OPTIONS.now ?? 0) - high, 0) / 10)
  return { low: low - tenth, high: high + tenth }
}

const R4: Readonly<Record<Prefix, (search: Range, target: Range) => boolean>> = {
  eq: (search, target) => contains(search, target),
  ne: (search, target) => !contains(search, target),
  gt: (search, target) => overlaps(above(search), target),
  lt: (search, target) => overlaps(below(search), target),
  ge: (search, target) => overlaps(above(search), target) || contains(search, target),
  le: (search, target) => overlaps(below(search), target) || contains(search, target),
  sa: (search, target) => !overlaps(search, target) && contains(above(search), target),
  eb: (search, target) => !overlaps(search, target) && contains(below(search), target),
  ap: (search, target) => overlaps(widened(search), target),
}

/** Dates in a few years, of every precision, so that ranges often touch, contain and straddle each other. */
const dates: fc.Arbitrary<{ text: string; range: Range }> = fc
  .record({
    year: fc.integer({ min: 2019, max: 2021 }),
    month: fc.constantFrom(0, 1, 6, 11),
    day: fc.constantFrom(1, 2, 28),
    second: fc.constantFrom(0, 1, 86_399),
    millisecond: fc.constantFrom(0, 1, 999),
    precision: fc.constantFrom('year', 'month', 'day', 'minute', 'second', 'millisecond'),
  })
  .map(({ year, month, day, second, millisecond, precision }) => {
    const low = Date.UTC(
      year,
      precision === 'year' ? 0 : month,
      precision === 'year' || precision === 'month' ? 1 : day,
      0,
      0,
      precision === 'second' || precision === 'millisecond'
        ? second
        : precision === 'minute'
          ? second - (second % 60)
          : 0,
      precision === 'millisecond' ? millisecond : 0,
    )
    const iso = new Date(low).toISOString()
    const [length, high] = {
      year: [4, Date.UTC(year + 1, 0, 1) - 1] as const,
      month: [7, Date.UTC(year, month + 1, 1) - 1] as const,
      day: [10, low + DAY - 1] as const,
      minute: [16, low + 59_999] as const,
      second: [19, low + 999] as const,
      millisecond: [24, low] as const,
    }[precision] ?? [0, 0]
    return { text: iso.slice(0, length), range: { low, high } }
  })

const targets = {
  instant: dates.map(({ range: { low } }) => ({ low, high: low })),
  date: dates.map(({ range }) => range),
  open: fc
    .tuple(dates, dates, fc.boolean(), fc.boolean())
    .map(([{ range: one }, { range: other }, openStart, openEnd]) => ({
      low: openStart ? BEGINNING_OF_TIME : Math.min(one.low, other.low),
      high: openEnd ? END_OF_TIME : Math.max(one.high, other.high),
    })),
}
type Span = keyof typeof targets

const parameter = (span: Span): SearchParameter => ({
  code: 'when',
  type: 'date',
  url: 'http://x.org/when',
  expression: 'when',
  single: true,
  ...(span === 'open' ? {} : { span }),
})
const entry = ({ low, high }: Range): IndexEntry => ({ kind: 'date', param: 'when', low, high })
const conditionFor = (span: Span, prefix: string, text: string): Condition =>
  parseDate(parameter(span), prefix + text, {
    name: 'when',
    types: ['Basic'],
    baseUrl: BASE,
    now: OPTIONS.now,
    machineTime: OPTIONS.machineTime,
    hint: () => {},
    isCaseSensitive: () => false,
    lookUp: OPTIONS.lookUp,
  })

describe.each(['instant', 'date', 'open'] as const)('over random dates, where the ranges are %s', (span) => {
  test('a condition holds exactly when some value compares as R4 says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PREFIXES),
        dates,
        fc.array(targets[span], { maxLength: 3 }),
        (prefix, { text, range }, values) => {
          const expected = values.some((value) => R4[prefix](range, value))
          expect(holds(conditionFor(span, prefix, text), values.map(entry))).toBe(expected)
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('conditions on a single date hold after merging exactly when they held before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...PREFIXES), dates), { minLength: 2, maxLength: 4 }),
        targets[span],
        (searches, value) => {
          const conditions = searches.map(([prefix, { text }]) => conditionFor(span, prefix, text))
          const merged = mergeDates(conditions, () => spanOf(parameter(span)))
          const all = (list: readonly Condition[]) => list.every((condition) => holds(condition, [entry(value)]))
          expect(all(merged)).toBe(all(conditions))
        },
      ),
      { numRuns: 2000 },
    )
  })
})
