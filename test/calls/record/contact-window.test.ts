/** When the contact window opens, on days of 23 and of 25 hours too. */
import { expect, test } from '@jest/globals'
import { DateTime } from 'luxon'
import { firstOpen } from '../../../src/calls/record/contact-window.ts'

const ZONE = 'America/New_York'
const at = (local: string): number => DateTime.fromISO(local, { zone: ZONE }).toMillis()
const NINE_TO_FIVE = { zone: ZONE, from: 9 * 60, until: 17 * 60 }
const WHOLE_DAY = { zone: ZONE, from: 0, until: 24 * 60 }

test.each([
  ['before it', NINE_TO_FIVE, '2026-01-05T08:59:59', '2026-01-05T09:00'],
  ['at its beginning', NINE_TO_FIVE, '2026-01-05T09:00', '2026-01-05T09:00'],
  ['within it', NINE_TO_FIVE, '2026-01-05T16:59:59', '2026-01-05T16:59:59'],
  ['at its end', NINE_TO_FIVE, '2026-01-05T17:00', '2026-01-06T09:00'],
  ['on the last evening of a year', NINE_TO_FIVE, '2025-12-31T23:00', '2026-01-01T09:00'],
  ['in the night before clocks go forward', NINE_TO_FIVE, '2026-03-07T23:00', '2026-03-08T09:00'],
  ['in the night before clocks go back', NINE_TO_FIVE, '2026-10-31T23:00', '2026-11-01T09:00'],
  ['of the whole day, at midnight', WHOLE_DAY, '2026-01-05T00:00', '2026-01-05T00:00'],
  ['of the whole day, a minute before midnight', WHOLE_DAY, '2026-01-05T23:59', '2026-01-05T23:59'],
  ['that begins where clocks go forward', { ...NINE_TO_FIVE, from: 150 }, '2026-03-08T01:00', '2026-03-08T03:30'],
])('%s', (_, window, moment, opens) => {
  expect(firstOpen(window, at(moment))).toBe(at(opens))
})

test('an hour that comes twice is within it twice', () => {
  const window = { zone: ZONE, from: 60, until: 120 }
  const first = Date.parse('2026-11-01T01:30-04:00')
  const second = Date.parse('2026-11-01T01:30-05:00')
  expect([firstOpen(window, first), firstOpen(window, second)]).toEqual([first, second])
})
