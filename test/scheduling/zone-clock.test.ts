/** Wall-clock times of zones as instants, at the changes of their clocks. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { isTimeZone, ZoneClock, zoneOf } from '../../src/scheduling/zone-clock.ts'
import { randomRuns } from '../support/random-runs.ts'

const wall = (time: string): number => Date.parse(`${time}:00Z`)
const shown = (zone: string, instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new ZoneClock(zone).format(instant)

describe('the instant of a time that clocks show', () => {
  test.each([
    ['America/New_York', '2026-03-06T09:00', '2026-03-06T09:00:00-05:00'],
    ['America/New_York', '2026-03-08T01:59', '2026-03-08T01:59:00-05:00'],
    ['America/New_York', '2026-03-08T02:30', undefined],
    ['America/New_York', '2026-03-08T03:00', '2026-03-08T03:00:00-04:00'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T01:30:00-04:00'],
    ['America/New_York', '2026-11-01T02:00', '2026-11-01T02:00:00-05:00'],
    ['Europe/Berlin', '2026-03-29T02:00', undefined],
    ['Europe/Berlin', '2026-10-25T02:00', '2026-10-25T02:00:00+02:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', undefined],
    ['Australia/Lord_Howe', '2026-10-04T02:30', '2026-10-04T02:30:00+11:00'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-05T01:45:00+11:00'],
    ['Pacific/Apia', '2011-12-29T23:59', '2011-12-29T23:59:00-10:00'],
    ['Pacific/Apia', '2011-12-30T12:00', undefined],
    ['Pacific/Apia', '2011-12-31T00:00', '2011-12-31T00:00:00+14:00'],
    ['America/Santiago', '2026-09-06T00:00', undefined],
    ['UTC', '2026-03-08T02:30', '2026-03-08T02:30:00+00:00'],
    ['Asia/Kathmandu', '2026-03-08T02:30', '2026-03-08T02:30:00+05:45'],
  ])('%s: %s is %s', (zone, time, expected) => {
    expect(shown(zone, new ZoneClock(zone).instantOf(wall(time)))).toBe(expected)
  })

  test.each([
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T03:00:00-04:00'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-31T00:00:00+14:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:01', '2026-10-04T02:30:00+11:00'],
    ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T03:00:00+02:00'],
  ])('%s: from %s on is from %s on', (zone, time, expected) => {
    expect(shown(zone, new ZoneClock(zone).instantFrom(wall(time)))).toBe(expected)
  })

  const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca', 'UTC']

  test('is what clocks show then, and no earlier one is; the text of any instant is that of luxon', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: Date.parse('2010-01-01') / 60_000, max: Date.parse('2040-01-01') / 60_000 }),
        (zone, minute) => {
          const clock = new ZoneClock(zone)
          const instant = minute * 60_000
          expect(clock.format(instant)).toBe(DateTime.fromMillis(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ"))
          const there = DateTime.fromMillis(instant, { zone })
          const faster = DateTime.fromMillis(instant, { zone: zoneOf(zone) })
          expect(faster.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZ")).toBe(there.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZ"))
          expect(faster.startOf('day').plus({ days: 1 }).toMillis()).toBe(
            there.startOf('day').plus({ days: 1 }).toMillis(),
          )
          const first = clock.instantOf(clock.wallTimeAt(instant)) ?? Number.NaN
          expect(clock.wallTimeAt(first)).toBe(clock.wallTimeAt(instant))
          expect(first).toBeLessThanOrEqual(instant)
        },
      ),
      { numRuns: randomRuns(1000) },
    )
  })
})

test('offsets are no time zones, as they have no daylight saving', () => {
  expect(['Europe/Berlin', 'UTC', '+05:00', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
