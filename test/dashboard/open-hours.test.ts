/** The hours of a day, and the reasons for which nobody works, in the zone of the Schedule. */
import { expect, test } from '@jest/globals'
import { type Availability, noHours } from '../../dashboard/fhir/availability.ts'
import { hoursOn } from '../../dashboard/fhir/open-hours.ts'
import { inLanes, rangeOf } from '../../dashboard/parts/calendar/layout.ts'

const ZONE = 'America/New_York'
const hours: Availability = {
  ...noHours,
  weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:30', until: '17:00', type: '' }],
  breaks: [{ days: [], from: '12:00', until: '13:00' }],
  special: [{ date: '2026-12-24', from: '09:00', until: '12:30', type: '', description: 'Christmas Eve' }],
  absences: [
    { start: '2026-12-25', end: '2026-12-25', description: 'Christmas Day' },
    { start: '2026-12-22T13:00:00-05:00', end: '2026-12-22T17:00:00-05:00', description: 'Training' },
    { start: '2026-12-23T09:00:00-05:00', end: '2026-12-23T10:00:00-05:00', description: '' },
  ],
}
const on = (day: string) => hoursOn(hours, day, ZONE)

test('a working day is open in its hours, less the breaks', () => {
  expect(on('2026-12-21')).toEqual({
    open: [{ start: '2026-12-21T08:30:00-05:00', end: '2026-12-21T17:00:00-05:00' }],
    shut: [{ start: '2026-12-21T12:00:00-05:00', end: '2026-12-21T13:00:00-05:00', reason: 'Break' }],
    note: '',
    closedFor: undefined,
  })
})

test.each([
  ['2026-12-25', 'Christmas Day'],
  ['2026-12-22', undefined],
  ['2026-12-26', undefined],
])('on %s the reason for which it is closed is %s', (day, reason) => {
  expect(on(day).closedFor).toBe(reason)
})

test('an absence of some hours is drawn with its reason, and one without a reason is told as such', () => {
  expect(on('2026-12-22').shut.map(({ reason, start }) => [reason, start])).toEqual([
    ['Break', '2026-12-22T12:00:00-05:00'],
    ['Training', '2026-12-22T13:00:00-05:00'],
  ])
  expect(on('2026-12-23').shut.map(({ reason }) => reason)).toEqual(['Break', 'Away'])
})

test('hours of one day take the place of those of the week and of the breaks', () => {
  const { open, shut, note } = on('2026-12-24')
  expect([open.map(({ end }) => end), shut, note]).toEqual([['2026-12-24T12:30:00-05:00'], [], 'Christmas Eve'])
})

test('a break outside the hours, and one within a holiday, is not drawn', () => {
  expect(on('2026-12-26')).toMatchObject({ open: [], shut: [] })
  expect(on('2026-12-25').shut.map(({ reason }) => reason)).toEqual(['Christmas Day'])
})

test.each([
  ['2027-03-14', '2027-03-14T01:00:00-05:00', '2027-03-14T04:00:00-04:00'],
  ['2027-11-07', '2027-11-07T01:00:00-04:00', '2027-11-07T04:00:00-05:00'],
])('on %s, when the clocks change, hours are what clocks show', (day, start, end) => {
  const night: Availability = { ...noHours, weekly: [{ days: ['sun'], from: '01:00', until: '04:00', type: '' }] }
  expect(hoursOn(night, day, ZONE).open).toEqual([{ start, end }])
})

test('a holiday ends with the midnight of the zone of the Schedule, not with that of the clinic', () => {
  const far: Availability = { ...hours, timeZone: 'Asia/Tokyo' }
  expect(hoursOn(far, '2026-12-25', ZONE).shut[0]).toMatchObject({
    start: '2026-12-25T00:00:00+09:00',
    end: '2026-12-26T00:00:00+09:00',
  })
})

test('entries that overlap stand in lanes, and those that follow one another in one', () => {
  const placed = inLanes([
    { from: 540, until: 600, id: 'a' },
    { from: 570, until: 630, id: 'b' },
    { from: 600, until: 660, id: 'c' },
    { from: 660, until: 690, id: 'd' },
  ])
  expect(placed.map(({ id, lane, lanes }) => [id, lane, lanes])).toEqual([
    ['a', 0, 2],
    ['b', 1, 2],
    ['c', 0, 2],
    ['d', 0, 1],
  ])
})

test('the hours that are seen are whole, and nine to five where nothing is planned', () => {
  expect(rangeOf([{ from: 510, until: 1005 }])).toEqual({ from: 480, until: 1020 })
  expect(rangeOf([])).toEqual({ from: 540, until: 1020 })
})
