/** The hours of a week, as places state them and as Schedules imply them. */
import { describe, expect, test } from '@jest/globals'
import type { Availability } from '../../src/scheduling/availability.ts'
import { statedHours, workingHours } from '../../src/scheduling/opening-hours.ts'
import { sayHours } from '../../src/spoken/say.ts'

describe('Location.hoursOfOperation', () => {
  test.each<[string, Parameters<typeof statedHours>[0], string]>([
    [
      'without days: every day',
      [{ openingTime: '09:00:00', closingTime: '17:30:00' }],
      'every day from 9 in the morning to 5:30 in the evening',
    ],
    ['all day', [{ daysOfWeek: ['mon'], allDay: true }], 'Monday around the clock'],
    [
      'over midnight',
      [{ daysOfWeek: ['fri'], openingTime: '22:00:00', closingTime: '02:00:00' }],
      'Friday from 10 in the evening to 2 in the morning',
    ],
    [
      'until midnight',
      [{ daysOfWeek: ['fri'], openingTime: '12:00:00', closingTime: '00:00:00' }],
      'Friday from noon to midnight',
    ],
    [
      'without a closing time: until midnight',
      [{ daysOfWeek: ['fri'], openingTime: '18:00:00' }],
      'Friday from 6 in the evening to midnight',
    ],
    ['without any time: nothing', [{ daysOfWeek: ['fri'] }], ''],
    [
      'hours that touch or overlap are one',
      [
        { daysOfWeek: ['tue'], openingTime: '08:00:00', closingTime: '12:00:00' },
        { daysOfWeek: ['tue'], openingTime: '11:00:00', closingTime: '13:00:00' },
        { daysOfWeek: ['tue'], openingTime: '13:00:00', closingTime: '14:00:00' },
      ],
      'Tuesday from 8 in the morning to 2 in the afternoon',
    ],
    [
      'days alike are said together, whichever they are',
      [
        { daysOfWeek: ['mon', 'tue', 'wed', 'fri'], openingTime: '08:00:00', closingTime: '12:00:00' },
        { daysOfWeek: ['wed'], openingTime: '14:00:00', closingTime: '18:00:00' },
        { daysOfWeek: ['sat', 'sun'], openingTime: '10:00:00', closingTime: '11:00:00' },
      ],
      'Monday, Tuesday, and Friday from 8 in the morning to noon; Wednesday from 8 in the morning to noon and from 2 in the afternoon to 6 in the evening; Saturday and Sunday from 10 in the morning to 11 in the morning',
    ],
  ])('%s', (_what, stated, spoken) => {
    expect(sayHours(statedHours(stated))).toBe(spoken)
  })
})

test('the hours of several Schedules are those of the place, and their breaks are not', () => {
  const schedule = (from: number, until: number): Availability => ({
    horizonDays: 30,
    slotMinutes: 30,
    weeklyHours: [{ daysOfWeek: ['mon', 'tue', 'wed'], from, until }],
    breaks: [{ daysOfWeek: ['mon'], from: 720, until: 780 }],
    specialHours: [],
    notAvailable: [],
    appointmentTypes: [],
  })
  const week = workingHours([schedule(600, 1020), schedule(480, 900)])
  expect(sayHours(week)).toBe('Monday to Wednesday from 8 in the morning to 5 in the evening')
  expect(sayHours(workingHours([]))).toBe('')
})
