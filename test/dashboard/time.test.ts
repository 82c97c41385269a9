/** Times of the clinic: in its zone, named, and the same text whatever the zone of the machine. */
import { afterEach, expect, test } from '@jest/globals'
import { phoneText } from '../../dashboard/fhir/phones.ts'
import {
  addDays,
  ageAt,
  clockText,
  dateText,
  dayOf,
  naiveOf,
  startOfDay,
  startOfWeek,
  timeText,
  wallTime,
  writeTimesAs,
  zoneText,
} from '../../dashboard/fhir/time.ts'

const NEW_YORK = 'America/New_York'

test.each([
  ['2026-11-24T15:35:00Z', NEW_YORK, 'Tue, Nov 24, 2026, 10:35 AM'],
  ['2026-11-24T15:35:00Z', 'Asia/Tokyo', 'Wed, Nov 25, 2026, 12:35 AM'],
  ['2026-11-24T10:35:00-05:00', NEW_YORK, 'Tue, Nov 24, 2026, 10:35 AM'],
  // A date is a day wherever one is.
  ['1941-02-17', 'Pacific/Auckland', 'Feb 17, 1941'],
])('%s in %s is shown as %s', (at, zone, text) => {
  expect(timeText(at, zone)).toBe(text)
})

test.each([
  ['1941', '1941'],
  ['1941-02', 'Feb 1941'],
  ['1941-02-17', 'Feb 17, 1941'],
])('of the date %s as much is shown as is known', (date, text) => {
  expect(dateText(date)).toBe(text)
})

afterEach(() => writeTimesAs({ defaultRegion: 'US' }))

test.each([
  [{ defaultRegion: 'US' }, 'Tue, Nov 24, 2026, 3:05 PM'],
  [{ defaultRegion: 'AU' }, 'Tue 24 Nov 2026, 3:05 PM'],
  [{ defaultRegion: 'GB' }, 'Tue 24 Nov 2026, 15:05'],
  [{ defaultRegion: 'DE' }, 'Tue 24 Nov 2026, 15:05'],
  [{ defaultRegion: 'DE', dateOrder: 'month-first' }, 'Tue, Nov 24, 2026, 15:05'],
  [{ defaultRegion: 'US', dateOrder: 'day-first' }, 'Tue 24 Nov 2026, 3:05 PM'],
  // A country that no locale has.
  [{ defaultRegion: 'XX' }, 'Tue 24 Nov 2026, 3:05 PM'],
])('a clinic with %j writes %s', (settings, text) => {
  writeTimesAs(settings)
  expect(timeText('2026-11-24T20:05:00Z', NEW_YORK)).toBe(text)
  expect(text).toContain(dateText('2026-11-24'))
})

test.each([
  ['US', '2026-11-22'],
  ['JP', '2026-11-22'],
  ['GB', '2026-11-23'],
  ['DE', '2026-11-23'],
  ['EG', '2026-11-21'],
  ['XX', '2026-11-23'],
])('the week of Tuesday, November 24 begins in %s on %s', (defaultRegion, first) => {
  writeTimesAs({ defaultRegion })
  for (const day of ['2026-11-24', first, addDays(first, 6)]) expect(startOfWeek(day)).toBe(first)
})

test.each([
  ['+12125550142', '+1 212 555 0142'],
  ['+442079460958', '+44 207 946 0958'],
  ['+35312345678', '+353 123 456 78'],
  ['(212) 555-0142', '(212) 555-0142'],
  ['', ''],
  ['+1', '+1'],
])('the phone %s is shown as %s', (number, text) => {
  expect(phoneText(number)).toBe(text)
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
  expect(clockText('2026-11-01T06:30:00Z', NEW_YORK)).toBe('1:30 AM')
})

test('an age is that in the clinic: the birthday begins at its midnight', () => {
  expect(ageAt('1980-11-24', '2026-11-24T04:59:00Z', NEW_YORK)).toBe(45)
  expect(ageAt('1980-11-24', '2026-11-24T05:01:00Z', NEW_YORK)).toBe(46)
  expect(ageAt(undefined, '2026-11-24T05:01:00Z', NEW_YORK)).toBeUndefined()
})
