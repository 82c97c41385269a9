/** Days and times of scenarios, relative to the clinic's day. */
import { describe, expect, test } from '@jest/globals'
import { type ClinicDay, dateAt, timeAt } from '../../../src/rehearsal/scenarios/moments.ts'

const dayAt = (now: string, timeZone = 'America/New_York'): ClinicDay => ({
  clinic: 'north-side',
  clinicName: 'North Side',
  timeZone,
  now: Date.parse(now),
})

/** A Tuesday before noon. */
const TUESDAY = dayAt('2026-03-03T11:00:00-05:00')

describe('a date of a scenario', () => {
  test.each([
    ['today', '2026-03-03'],
    ['today+3', '2026-03-06'],
    ['today-3d', '2026-02-28'],
    ['today+2w', '2026-03-17'],
    ['today-1m', '2026-02-03'],
    ['today-40y', '1986-03-03'],
    ['today-40y+2m-1d', '1986-05-02'],
    ['today+4wd', '2026-03-09'],
    ['today-2wd', '2026-02-27'],
    ['workday', '2026-03-03'],
    ['next-workday', '2026-03-04'],
    ['next-tuesday', '2026-03-10'],
    ['next-monday', '2026-03-09'],
    ['next-sunday', '2026-03-08'],
    ['clocks-change', '2026-03-08'],
    ['clocks-forward', '2026-03-08'],
    ['clocks-back', '2026-11-01'],
    ['clocks-change-2d', '2026-03-06'],
  ])('%s is %s on Tuesday 3 March 2026 in New York', (text, date) => {
    expect(dateAt(text, TUESDAY)).toBe(date)
  })

  test.each([
    ['today, by the clock of the clinic and not of UTC', 'today', '2026-03-03T02:00:00Z', '2026-03-02'],
    ['workday after closing, the next one', 'workday', '2026-03-06T17:00:00-05:00', '2026-03-09'],
    ['workday before closing, the same', 'workday', '2026-03-06T16:59:00-05:00', '2026-03-06'],
    ['workday on a Sunday, Monday', 'workday', '2026-03-08T12:00:00-04:00', '2026-03-09'],
    [
      'next-workday before a public holiday, the day after it',
      'next-workday',
      '2026-11-25T12:00:00-05:00',
      '2026-11-27',
    ],
    ['next-monday on a Monday, a week later', 'next-monday', '2026-03-02T12:00:00-05:00', '2026-03-09'],
    ['clocks-forward on the day itself, that day', 'clocks-forward', '2026-03-08T12:00:00-04:00', '2026-03-08'],
    ['clocks-change in summer, the autumn', 'clocks-change', '2026-07-01T12:00:00-04:00', '2026-11-01'],
  ])('is, for %s', (_what, text, now, date) => {
    expect(dateAt(text, dayAt(now))).toBe(date)
  })
})

describe('a time of a scenario', () => {
  test.each([
    ['today T14:30', '2026-03-03T14:30:00-05:00'],
    ['next-workday T09:00', '2026-03-04T09:00:00-05:00'],
    ['today+30 T09:00:15', '2026-04-02T09:00:15-04:00'],
    ['today T09:00+90', '2026-03-03T10:30:00-05:00'],
    ['today T00:30-60', '2026-03-02T23:30:00-05:00'],
  ])('%s is %s in New York', (text, time) => {
    expect(timeAt(text, TUESDAY)).toBe(time)
  })

  test('that the clocks repeat is the first one, and an hour later the second one', () => {
    expect(timeAt('clocks-back T01:30', TUESDAY)).toBe('2026-11-01T01:30:00-04:00')
    expect(timeAt('clocks-back T01:30+60', TUESDAY)).toBe('2026-11-01T01:30:00-05:00')
  })

  test('that the clocks skip is the moment of the change', () => {
    expect(timeAt('clocks-forward T02:30', TUESDAY)).toBe('2026-03-08T03:00:00-04:00')
  })
})

describe('a moment that cannot be read', () => {
  test.each([
    ['tomorrow', "'tomorrow' is no moment of a scenario: it begins with one of today, workday"],
    ['today T9:00', "'today T9:00' is no moment of a scenario"],
    ['today+3x', "'today+3x' is no moment of a scenario"],
  ])('is refused as %s is', (text, message) => {
    expect(() => dateAt(text, TUESDAY)).toThrow(message)
  })

  test('is refused as a date with a time, or as a time without one', () => {
    expect(() => dateAt('today T09:00', TUESDAY)).toThrow('a date has no time')
    expect(() => timeAt('today', TUESDAY)).toThrow('a time is missing')
  })

  test('is refused where the clocks of the clinic are never changed', () => {
    const phoenix = dayAt('2026-03-03T11:00:00-07:00', 'America/Phoenix')
    expect(() => dateAt('clocks-back', phoenix)).toThrow('The clocks of the time zone America/Phoenix do not go back')
  })
})
