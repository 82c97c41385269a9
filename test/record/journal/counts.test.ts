/** Counts of exchanges by periods. */
import { expect, test } from '@jest/globals'
import { Tally } from '../../../src/record/journal/counts.ts'
import type { Measure } from '../../../src/storage/journal-port.ts'

const BEGIN = Date.parse('2026-03-03T14:00:00Z')
const MINUTE = 60_000

const measure = (more: Partial<Measure> = {}): Measure => ({
  ...{ number: 1, at: BEGIN, status: 200, duration: 10, method: 'GET', user: 'ann', operation: 'read' },
  ...more,
})

const countsOf = (measures: readonly Measure[], to = BEGIN + 60 * MINUTE, from = BEGIN) => {
  const tally = new Tally(from, to)
  for (const one of measures) tally.add(one)
  return tally.counts(true)
}

test('a time without exchanges has its periods, each with no requests and no p95', () => {
  const { period, periods, requests, p95 } = countsOf([])
  expect([period, periods.length, requests, p95]).toEqual([120, 30, 0, undefined])
  expect(periods[1]).toEqual({ from: '2026-03-03T14:02:00.000Z', requests: 0, errors: 0 })
})

test('requests and errors stand in the period in which they began, and the end is not included', () => {
  const { requests, errors, periods } = countsOf([
    measure(),
    measure({ at: BEGIN + 119_999, status: 404 }),
    measure({ at: BEGIN + 2 * MINUTE, status: 0 }),
    measure({ at: BEGIN + 60 * MINUTE }),
    measure({ at: BEGIN - 1 }),
  ])
  expect([requests, errors]).toEqual([3, 2])
  expect(periods.slice(0, 2).map((one) => [one.requests, one.errors])).toEqual([
    [2, 1],
    [1, 1],
  ])
})

test('p95 is what 95 of 100 took at most, to within 5 %', () => {
  const durations = Array.from({ length: 100 }, (_, index) => measure({ duration: (index + 1) * 10 }))
  expect(countsOf(durations).p95).toBeGreaterThan(950 * 0.95)
  expect(countsOf(durations).p95).toBeLessThan(950 * 1.05)
  expect(countsOf([measure({ duration: 0 })]).p95).toBe(0)
  expect(countsOf([measure({ duration: 1e12 })]).p95).toBeLessThan(Number.POSITIVE_INFINITY)
})

test.each([
  ['a second', 1_000],
  ['an hour', 60 * MINUTE],
  ['a week', 7 * 24 * 60 * MINUTE],
  ['ten years', 3_650 * 24 * 60 * MINUTE],
  ['a thousand years', 365_000 * 24 * 60 * MINUTE],
])('%s has 61 periods at most, whose first begins at its start or before', (_name, length) => {
  const { periods, from } = countsOf([], BEGIN + length, BEGIN + 1)
  expect(periods.length).toBeLessThanOrEqual(61)
  expect(Date.parse(periods[0]?.from ?? '')).toBeLessThanOrEqual(Date.parse(from))
})

test('the values that come most often are named first, an empty one is none, and there are 50 at most', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => measure({ user: `user-${index}`, operation: '' }))
  const { users, operations, methods } = countsOf([...many, measure({ user: 'user-7', operation: 'create,$match' })])
  expect(Object.keys(users)).toHaveLength(50)
  expect(Object.entries(users)[0]).toEqual(['user-7', 2])
  expect(operations).toEqual({ create: 1, $match: 1 })
  expect(methods).toEqual({ GET: 2_001 })
})
