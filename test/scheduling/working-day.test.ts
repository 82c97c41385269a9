import { describe, expect, test } from '@jest/globals'
import { DateTime } from 'luxon'
import { bookableTimes } from '../../src/scheduling/working-day.ts'

const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const open = (availableStartTime: string, availableEndTime: string, daysOfWeek = [...EVERY_DAY]) => ({
  daysOfWeek,
  availableStartTime,
  availableEndTime,
})

const times = (day: string, zone: string, ...openings: ReturnType<typeof open>[]) =>
  bookableTimes(DateTime.fromISO(day, { zone }), openings, 30).map(({ start, end }) =>
    [start, end].map((time) => time.toFormat('HH:mm ZZ')).join(' to '),
  )

describe('bookable times', () => {
  test('lie side by side within the opening hours, and the last ends before closing', () => {
    expect(times('2026-03-02', 'Europe/Berlin', open('13:00:00', '14:15:00'), open('09:00:00', '10:00:00'))).toEqual([
      '09:00 +01:00 to 09:30 +01:00',
      '09:30 +01:00 to 10:00 +01:00',
      '13:00 +01:00 to 13:30 +01:00',
      '13:30 +01:00 to 14:00 +01:00',
    ])
  })

  test('are there on the days of the opening only', () => {
    const weekend: ReturnType<typeof open>[] = [{ ...open('09:00:00', '09:30:00'), daysOfWeek: ['sat', 'sun'] }]
    expect(times('2026-03-06', 'Europe/Berlin', ...weekend)).toEqual([])
    expect(times('2026-03-07', 'Europe/Berlin', ...weekend)).toHaveLength(1)
  })

  test('leave out the hour that daylight saving skips', () => {
    expect(times('2026-03-08', 'America/New_York', open('01:30:00', '03:30:00'))).toEqual([
      '01:30 -05:00 to 03:00 -04:00',
      '03:00 -04:00 to 03:30 -04:00',
    ])
  })

  test('offer the hour that daylight saving repeats once', () => {
    expect(times('2026-11-01', 'America/New_York', open('00:30:00', '02:30:00'))).toEqual([
      '00:30 -04:00 to 01:00 -04:00',
      '01:00 -04:00 to 01:30 -04:00',
      '01:30 -04:00 to 01:00 -05:00',
      '02:00 -05:00 to 02:30 -05:00',
    ])
  })

  test('keep their wall-clock time over a change of daylight saving', () => {
    const openings = open('09:00:00', '09:30:00')
    expect(times('2026-03-06', 'America/New_York', openings)).toEqual(['09:00 -05:00 to 09:30 -05:00'])
    expect(times('2026-03-09', 'America/New_York', openings)).toEqual(['09:00 -04:00 to 09:30 -04:00'])
  })

  test('leave out the day’s midnight where daylight saving skips it', () => {
    expect(times('2026-09-06', 'America/Santiago', open('00:00:00', '02:00:00'))).toEqual([
      '01:00 -03:00 to 01:30 -03:00',
      '01:30 -03:00 to 02:00 -03:00',
    ])
  })
})
