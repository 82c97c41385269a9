/** Times of the clinic: in its zone, named, and the same text whatever the zone of the machine. */
import { expect, test } from '@jest/globals'
import {
  addDays,
  ageAt,
  clockText,
  dateText,
  dayOf,
  naiveOf,
  startOfDay,
  timeText,
  wallTime,
  zoneText,
} from '../../dashboard/fhir/time.ts'

const NEW_YORK = 'America/New_York'

test.each([
  ['2026-11-24T15:35:00Z', NEW_YORK, 'Tue 24 Nov 2026, 10:35'],
  ['2026-11-24T15:35:00Z', 'Asia/Tokyo', 'Wed 25 Nov 2026, 00:35'],
  ['2026-11-24T10:35:00-05:00', NEW_YORK, 'Tue 24 Nov 2026, 10:35'],
  // A date is a day wherever one is.
  ['1941-02-17', 'Pacific/Auckland', '17 Feb 1941'],
])('%s in %s is shown as %s', (at, zone, text) => {
  expect(timeText(at, zone)).toBe(text)
})

test.each([
  ['1941', '1941'],
  ['1941-02', 'Feb 1941'],
  ['1941-02-17', '17 Feb 1941'],
])('of the date %s as much is shown as is known', (date, text) => {
  expect(dateText(date)).toBe(text)
})

test.each([
  ['2026-01-05T12:00:00Z', NEW_YORK, 'New York, UTC-5'],
  ['2026-07-05T12:00:00Z', NEW_YORK, 'New York, UTC-4'],
  ['2026-07-05T12:00:00Z', 'Asia/Kolkata', 'Kolkata, UTC+5:30'],
])('at %s the zone %s is named %s', (at, zone, text) => {
  expect(zoneText(zone, at)).toBe(text)
})

test.each([
  // Clocks go forward at 2:00 and back at 2:00.
  ['2026-03-08T01:30:00', '2026-03-08T01:30:00-05:00'],
  ['2026-03-08T03:30:00', '2026-03-08T03:30:00-04:00'],
  ['2026-11-01T00:30:00', '2026-11-01T00:30:00-04:00'],
  ['2026-11-01T02:30:00', '2026-11-01T02:30:00-05:00'],
])('on days on which the clocks change, %s on the wall is %s', (wall, instant) => {
  expect(wallTime(wall, NEW_YORK)).toBe(instant)
  expect(naiveOf(instant, NEW_YORK)).toBe(wall.replace('T', ' '))
})

test('a day of the clinic begins at its midnight, whether 23, 24 or 25 hours long', () => {
  expect(startOfDay('2026-03-08', NEW_YORK)).toBe('2026-03-08T00:00:00-05:00')
  expect(startOfDay('2026-03-09', NEW_YORK)).toBe('2026-03-09T00:00:00-04:00')
  expect(startOfDay('2026-11-02', NEW_YORK)).toBe('2026-11-02T00:00:00-05:00')
  expect(dayOf('2026-11-02T04:59:00Z', NEW_YORK)).toBe('2026-11-01')
  expect(addDays('2026-02-28', 1)).toBe('2026-03-01')
  expect(clockText('2026-11-01T06:30:00Z', NEW_YORK)).toBe('01:30')
})

test('an age is that in the clinic: the birthday begins at its midnight', () => {
  expect(ageAt('1980-11-24', '2026-11-24T04:59:00Z', NEW_YORK)).toBe(45)
  expect(ageAt('1980-11-24', '2026-11-24T05:01:00Z', NEW_YORK)).toBe(46)
  expect(ageAt(undefined, '2026-11-24T05:01:00Z', NEW_YORK)).toBeUndefined()
})
