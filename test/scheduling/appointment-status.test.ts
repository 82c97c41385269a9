/** The changes of status that an Appointment may make, and their effect on its slots. */
import { describe, expect, test } from '@jest/globals'
import {
  type AppointmentStatus,
  checkStatusTransition,
  isOver,
  SLOT_HOLDING_STATUSES,
  slotStatusFor,
  stageOf,
} from '../../src/scheduling/appointment-status.ts'

const STATUSES: readonly AppointmentStatus[] = [
  'proposed',
  'pending',
  'booked',
  'arrived',
  'checked-in',
  'fulfilled',
  'cancelled',
  'noshow',
  'entered-in-error',
  'waitlist',
]

const TRANSITIONS: readonly [AppointmentStatus, readonly AppointmentStatus[]][] = [
  ['proposed', ['pending', 'booked', 'cancelled', 'waitlist', 'entered-in-error']],
  ['pending', ['booked', 'cancelled', 'entered-in-error']],
  ['waitlist', ['proposed', 'booked', 'cancelled', 'entered-in-error']],
  ['booked', ['arrived', 'checked-in', 'cancelled', 'noshow', 'entered-in-error']],
  ['arrived', ['checked-in', 'fulfilled', 'cancelled', 'noshow', 'entered-in-error']],
  ['checked-in', ['fulfilled', 'cancelled', 'entered-in-error']],
  ['fulfilled', ['entered-in-error']],
  ['cancelled', ['entered-in-error']],
  ['noshow', ['entered-in-error']],
  ['entered-in-error', []],
]

describe('an appointment', () => {
  test.each(TRANSITIONS)('that is %s can become %j, stay, and nothing else', (from, allowed) => {
    for (const to of STATUSES) {
      if (to === from || allowed.includes(to)) expect(() => checkStatusTransition(from, to)).not.toThrow()
      else expect(() => checkStatusTransition(from, to)).toThrow(`is ${from} cannot become ${to}`)
    }
  })

  test('an illegal move is 422 and names what is allowed', () => {
    expect(() => checkStatusTransition('booked', 'proposed')).toThrow(
      expect.objectContaining({
        status: 422,
        code: 'illegal-status-move',
        message: expect.stringContaining('arrived, checked-in, cancelled, noshow, entered-in-error'),
      }),
    )
    expect(() => checkStatusTransition('entered-in-error', 'booked')).toThrow('no other status')
  })
})

describe('its slots', () => {
  test.each<[AppointmentStatus, string | undefined]>([
    ['proposed', undefined],
    ['waitlist', undefined],
    ['pending', 'busy-tentative'],
    ['booked', 'busy'],
    ['arrived', 'busy'],
    ['checked-in', 'busy'],
    ['fulfilled', 'busy'],
    ['noshow', 'busy'],
    ['cancelled', undefined],
    ['entered-in-error', undefined],
  ])('while it is %s are %s', (status, slot) => {
    expect(slotStatusFor(status)).toBe(slot)
    expect(SLOT_HOLDING_STATUSES.includes(status)).toBe(slot !== undefined)
  })
})

describe('a visit', () => {
  test.each([
    ['waiting', ['waitlist']],
    ['planned', ['proposed', 'pending', 'booked']],
    ['recorded', ['arrived', 'checked-in', 'fulfilled', 'cancelled', 'noshow', 'entered-in-error']],
  ])('is %s while its appointment is %j', (stage, statuses) => {
    expect(STATUSES.filter((status) => stageOf(status) === stage).sort()).toEqual([...statuses].sort())
  })

  test('is over when nothing but entered-in-error can follow', () => {
    const over = ['cancelled', 'entered-in-error', 'fulfilled', 'noshow']
    expect(STATUSES.filter(isOver).sort()).toEqual(over)
  })
})
