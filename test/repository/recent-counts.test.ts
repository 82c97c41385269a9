/** Counts that are remembered for some minutes. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { RecentCounts } from '../../src/repository/recent-reads.ts'

const MINUTES = 60_000

let counts: RecentCounts
let now = 0
let stored = 0
let counted = 0

const count = async (): Promise<number> => {
  counted += 1
  return stored
}
const read = () => counts.read('patients', count)

beforeEach(() => {
  counts = new RecentCounts()
  jest.spyOn(Date, 'now').mockImplementation(() => now)
  counted = 0
})
afterEach(() => {
  jest.restoreAllMocks()
})

test('a small count is counted again after seconds, and waited for', async () => {
  stored = 10
  expect(await read()).toBe(10)
  stored = 11
  expect(await read()).toBe(10)
  now += MINUTES / 10
  expect(await read()).toBe(11)
})

test('a large one is counted again after minutes, while the last one is answered', async () => {
  stored = 5_000
  expect(await read()).toBe(5_000)
  stored = 6_000
  now += 2 * MINUTES
  expect(await read()).toBe(5_000)
  now += 4 * MINUTES
  expect(await Promise.all([read(), read()])).toEqual([5_000, 5_000])
  await new Promise(setImmediate)
  expect([await read(), counted]).toEqual([6_000, 2])
})

test('a count that fails is tried again by the next who reads it', async () => {
  stored = 5_000
  await read()
  now += 6 * MINUTES
  expect(await counts.read('patients', () => Promise.reject(new Error('away')))).toBe(5_000)
  await new Promise(setImmediate)
  stored = 7_000
  expect(await read()).toBe(5_000)
  await new Promise(setImmediate)
  expect(await read()).toBe(7_000)
})
