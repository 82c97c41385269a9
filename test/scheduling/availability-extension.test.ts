/** The extension with the working hours of a Schedule: its content, and refusals with their sentences. */
import { describe, expect, test } from '@jest/globals'
import type { Extension } from 'fhir/r4'
import { FhirError } from '../../src/fhir/outcome.ts'
import { DAYS_OF_WEEK, readAvailability } from '../../src/scheduling/availability.ts'
import {
  appointmentType,
  availability,
  away,
  horizonDays,
  open,
  part,
  pause,
  scheduleWith,
  slotMinutes,
  special,
  timeZone,
} from './availability-samples.ts'

const read = (...parts: Extension[]) => readAvailability(scheduleWith('s', ...parts))

describe('the availability of a Schedule', () => {
  test('is none without the extension', () => {
    expect(readAvailability({ resourceType: 'Schedule', actor: [] })).toBeUndefined()
  })

  test('has everything that the extension says', () => {
    const found = read(
      timeZone('Europe/Berlin'),
      horizonDays(60),
      slotMinutes(20),
      open('08:30', '12:00', ['mon', 'tue']),
      open('13:00', '17:00', ['mon'], 'CHECKUP'),
      pause('10:00', '10:15'),
      pause('15:00', '15:15', ['mon']),
      special('2026-12-24', '09:00', '11:00'),
      away('2026-12-25', '2026-12-26'),
      appointmentType('CHECKUP', 40, 5, 10),
    )
    expect(found).toEqual({
      timeZone: 'Europe/Berlin',
      horizonDays: 60,
      slotMinutes: 20,
      weeklyHours: [
        { daysOfWeek: ['mon', 'tue'], from: 510, until: 720 },
        { daysOfWeek: ['mon'], from: 780, until: 1020, appointmentType: 'CHECKUP' },
      ],
      breaks: [
        { daysOfWeek: DAYS_OF_WEEK, from: 600, until: 615 },
        { daysOfWeek: ['mon'], from: 900, until: 915 },
      ],
      specialHours: [{ date: '2026-12-24', from: 540, until: 660 }],
      notAvailable: [{ start: '2026-12-25', end: '2026-12-26' }],
      appointmentTypes: [
        {
          code: 'CHECKUP',
          type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0276', code: 'CHECKUP' }] },
          minutes: 40,
          bufferBefore: 5,
          bufferAfter: 10,
        },
      ],
    })
  })

  test('reaches 30 days ahead by default, and hours that end at 00:00:00 end at midnight', () => {
    expect(read(slotMinutes(30), open('22:00', '00:00'))).toMatchObject({
      horizonDays: 30,
      weeklyHours: [{ from: 1320, until: 1440 }],
    })
  })
})

describe('is refused with 422 that names the part at fault', () => {
  const HERE = 'Schedule.extension[0]'
  const whole = slotMinutes(30)
  test.each<[string, Extension[], string, string]>([
    ['slotMinutes missing', [open('09:00', '10:00')], HERE, 'must have the part slotMinutes'],
    ['slots of 4 minutes', [slotMinutes(4)], `${HERE}.extension[0]`, 'valuePositiveInt from 5 to 1440'],
    ['a horizon of 367 days', [whole, horizonDays(367)], `${HERE}.extension[1]`, 'valuePositiveInt from 1 to 366'],
    ['an offset as time zone', [whole, timeZone('+02:00')], `${HERE}.extension[1]`, 'IANA time zone'],
    ['an unknown part', [whole, part('slotSize', { valueInteger: 3 })], HERE, "'slotSize', which is not known"],
    ['two lengths', [whole, whole], HERE, 'slotMinutes more than once'],
    ['hours without days', [whole, open('09:00', '10:00', [])], `${HERE}.extension[1]`, 'part daysOfWeek'],
    [
      'a day that does not exist',
      [whole, open('09:00', '10:00', ['monday'])],
      `${HERE}.extension[1].extension[0]`,
      'one of mon, tue',
    ],
    ['hours that end before they begin', [whole, open('17:00', '09:00')], `${HERE}.extension[1]`, 'ends at 09:00'],
    ['seconds', [whole, open('09:00:30', '10:00')], `${HERE}.extension[1].extension[7]`, 'whole minutes'],
    [
      'hours that overlap',
      [whole, open('09:00', '12:00', ['mon']), open('11:00', '13:00', ['mon'])],
      HERE,
      'availableTime on mon that overlap: 09:00 to 12:00 and from 11:00',
    ],
    [
      'special hours that overlap',
      [whole, special('2026-12-24', '09:00', '12:00'), special('2026-12-24', '11:59', '13:00')],
      HERE,
      'specialTime on 2026-12-24 that overlap',
    ],
    ['a month as date', [whole, special('2026-12', '09:00', '12:00')], `${HERE}.extension[1]`, 'such as 2026-12-24'],
    [
      'hours for a type that is not there',
      [whole, open('09:00', '10:00', ['mon'], 'WALKIN'), appointmentType('CHECKUP', 30)],
      `${HERE}.extension[1].extension[3]`,
      'the code of an appointmentType of this extension (CHECKUP)',
    ],
    [
      'two types of one code',
      [whole, appointmentType('CHECKUP', 30), appointmentType('CHECKUP', 60)],
      `${HERE}.extension[2]`,
      'has the code CHECKUP',
    ],
    [
      'a buffer of a day',
      [whole, appointmentType('CHECKUP', 30, 1440)],
      `${HERE}.extension[1].extension[2]`,
      'valueUnsignedInt from 0 to 240',
    ],
    ['an absence without end', [whole, away('2026-12-24', '')], `${HERE}.extension[1]`, 'ends at , before 2026-12-24'],
    [
      'an absence that ends first',
      [whole, away('2026-12-24', '2026-12-23')],
      `${HERE}.extension[1]`,
      'before 2026-12-24',
    ],
    [
      'a hundred and one breaks',
      [whole, ...Array.from({ length: 101 }, () => pause('09:00', '10:00'))],
      HERE,
      '101 break; it may have 100',
    ],
  ])('%s', (_what, parts, expression, words) => {
    const error = refusal(...parts)
    expect(error.status).toBe(422)
    expect(error.issues.map((issue) => issue.expression)).toContain(expression)
    expect(error.message).toContain(words)
  })

  test('all faults at once', () => {
    expect(refusal(slotMinutes(1), timeZone('Nowhere'), open('12:00', '09:00')).issues).toHaveLength(3)
  })

  test('the extension twice', () => {
    const twice = { ...scheduleWith('s'), extension: [availability(whole), availability(whole)] }
    expect(() => readAvailability(twice)).toThrow('has the extension')
  })

  function refusal(...parts: Extension[]): FhirError {
    try {
      read(...parts)
    } catch (error) {
      if (error instanceof FhirError) return error
    }
    throw new Error('it was not refused')
  }
})
