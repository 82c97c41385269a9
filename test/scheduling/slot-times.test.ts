/** The times of an appointment and of its slots. */
import { describe, expect, test } from '@jest/globals'
import type { Slot } from 'fhir/r4'
import { checkOneSchedule, checkPeriod, checkTimes, fits } from '../../src/scheduling/slot-times.ts'

const slot = (start: string, end: string): Slot => ({
  resourceType: 'Slot',
  schedule: { reference: 'Schedule/1' },
  status: 'free',
  start: `2031-03-03T${start}:00-05:00`,
  end: `2031-03-03T${end}:00-05:00`,
})
const NINE = slot('09:00', '09:30')
const HALF_PAST = slot('09:30', '10:00')
const TEN = slot('10:00', '10:30')

describe('start and end', () => {
  test.each<[string, string, string, readonly Slot[]]>([
    ['one slot', '2031-03-03T09:00:00-05:00', '2031-03-03T09:30:00-05:00', [NINE]],
    ['the same times in another zone', '2031-03-03T14:00:00Z', '2031-03-03T14:30:00.000Z', [NINE]],
    ['two that follow one another', '2031-03-03T14:00:00Z', '2031-03-03T15:00:00Z', [NINE, HALF_PAST]],
    ['in any order', '2031-03-03T14:00:00Z', '2031-03-03T15:30:00Z', [TEN, NINE, HALF_PAST]],
    ['no slots, any time', '2031-01-01T00:00:00Z', '2031-01-01T00:00:01Z', []],
  ])('fit: %s', (_name, start, end, slots) => {
    expect(() => checkTimes({ start, end }, slots)).not.toThrow()
  })

  test.each<[string, string | undefined, string | undefined, readonly Slot[], RegExp]>([
    [
      'a start before the slot',
      '2031-03-03T13:59:00Z',
      '2031-03-03T14:30:00Z',
      [NINE],
      /start is .*13:59.* start at .*09:00/,
    ],
    ['an end after it', '2031-03-03T14:00:00Z', '2031-03-03T14:31:00Z', [NINE], /end is .*14:31.* end at .*09:30/],
    ['no start', undefined, '2031-03-03T14:30:00Z', [NINE], /start is missing/],
    ['no end', '2031-03-03T14:00:00Z', undefined, [NINE], /end is missing/],
    ['a start that is no time', 'soon', '2031-03-03T14:30:00Z', [NINE], /start is soon/],
    [
      'a gap',
      '2031-03-03T14:00:00Z',
      '2031-03-03T15:30:00Z',
      [NINE, TEN],
      /one ends at .*09:30.* next starts at .*10:00/,
    ],
    ['an overlap', '2031-03-03T14:00:00Z', '2031-03-03T14:30:00Z', [NINE, slot('09:15', '09:30')], /do not follow/],
  ])('do not fit, 422: %s', (_name, start, end, slots, message) => {
    const times = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
    expect(() => checkTimes(times, slots)).toThrow(message)
    expect(() => checkTimes(times, slots)).toThrow(expect.objectContaining({ status: 422 }))
  })
})

describe('the slots of an appointment', () => {
  const BASE = 'https://emr.example/fhir'
  const of = (reference: string): Slot => ({ ...NINE, id: reference, schedule: { reference } })

  test('are of one schedule, however its reference is written', () => {
    expect(() => checkOneSchedule([], BASE)).not.toThrow()
    expect(() => checkOneSchedule([of('Schedule/1'), of(`${BASE}/Schedule/1`)], BASE)).not.toThrow()
  })

  test.each(['Schedule/2', 'https://elsewhere.example/Schedule/1'])('of Schedule/1 and %s are 422', (other) => {
    const refusal = { status: 422, message: expect.stringContaining(`of Schedule/1 and Slot/${other} of ${other}`) }
    expect(() => checkOneSchedule([of('Schedule/1'), of(other)], BASE)).toThrow(expect.objectContaining(refusal))
  })

  test('fit it or not', () => {
    expect(fits({ start: NINE.start, end: HALF_PAST.end }, [HALF_PAST, NINE])).toBe(true)
    expect(fits({ start: NINE.start, end: TEN.end }, [NINE, TEN])).toBe(false)
  })
})

describe('an end', () => {
  test('before the start is 422, in another zone too', () => {
    const backwards = { ...NINE, start: '2031-03-03T09:00:00-05:00', end: '2031-03-03T13:30:00Z' }
    expect(() => checkPeriod(backwards)).toThrow(expect.objectContaining({ status: 422, code: 'end-before-start' }))
    for (const end of ['2031-03-03T14:00:00Z', '2031-03-03T14:30:00Z'])
      expect(() => checkPeriod({ ...backwards, end })).not.toThrow()
  })
})
