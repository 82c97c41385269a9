/** When a visit may be booked and given up, as pure rules. */
import { describe, expect, test } from '@jest/globals'
import type { Appointment } from 'fhir/r4'
import {
  type BookingPolicies,
  checkCancellationWindow,
  checkPlannedTime,
} from '../../src/scheduling/booking-policies.ts'

const NOW = Date.parse('2031-03-03T09:00:00Z')
const inMinutes = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString()
const DAY = 24 * 60
const BASE = 'https://emr.example'

/** A visit that starts so many minutes from now. */
const visit = (minutes: number, more: Partial<Appointment> = {}): Appointment => ({
  resourceType: 'Appointment',
  status: 'booked',
  start: inMinutes(minutes),
  end: inMinutes(minutes + 30),
  participant: [{ actor: { display: 'x' }, status: 'accepted' }],
  ...more,
})

describe('a new visit', () => {
  const plan = (minutes: number, policies: BookingPolicies = {}, more: Partial<Appointment> = {}) =>
    checkPlannedTime(undefined, visit(minutes, more), NOW, policies)

  test.each<[string, number, BookingPolicies]>([
    ['a minute ahead without policies', 1, {}],
    ['ten years ahead without policies', 3_650 * DAY, {}],
    ['as long ahead as the notice', 60, { minimumNoticeMinutes: 60 }],
    ['at the end of the horizon', 30 * DAY, { bookingHorizonDays: 30 }],
  ])('may be %s', (_what, minutes, policies) => {
    expect(() => plan(minutes, policies)).not.toThrow()
  })

  test.each<[string, number, BookingPolicies, string, string]>([
    ['now', 0, {}, 'past-time', 'which has passed'],
    ['a minute ago', -1, { minimumNoticeMinutes: 60 }, 'past-time', 'which has passed'],
    ['a minute inside the notice', 59, { minimumNoticeMinutes: 60 }, 'minimum-notice', `from ${inMinutes(60)} on`],
    [
      'a minute past the horizon',
      30 * DAY + 1,
      { bookingHorizonDays: 30 },
      'booking-horizon',
      `until ${inMinutes(30 * DAY)}`,
    ],
  ])('may not be %s: 422 that says what is right', (_what, minutes, policies, code, right) => {
    const refusal = { status: 422, code, message: expect.stringContaining(right) }
    expect(() => plan(minutes, policies)).toThrow(expect.objectContaining(refusal))
  })

  test('that has no time yet, waits for one, or is recorded may be of any', () => {
    const { start: _start, end: _end, ...proposed } = visit(0, { status: 'proposed' })
    expect(() => checkPlannedTime(undefined, proposed, NOW, {})).not.toThrow()
    for (const status of RECORDED) expect(() => plan(-DAY, {}, { status })).not.toThrow()
  })
})

describe('a visit that is changed', () => {
  const LIMITS = { minimumNoticeMinutes: 60, bookingHorizonDays: 30 }
  const change = (before: Appointment, then: Appointment) => checkPlannedTime(before, then, NOW, LIMITS)

  test.each<[string, Appointment, Appointment]>([
    ['stays as it is after it has begun', visit(-5), visit(-5, { comment: 'Is late' })],
    ['stays inside the notice', visit(5), visit(5, { comment: 'Is early' })],
    ['is confirmed inside the notice, as it was held before', visit(5, { status: 'pending' }), visit(5)],
    ['arrives', visit(-5), visit(-5, { status: 'arrived' })],
  ])('may be one that %s', (_what, before, then) => {
    expect(() => change(before, then)).not.toThrow()
  })

  test.each<[string, Appointment, Appointment, string]>([
    ['is confirmed when its time has passed', visit(-5, { status: 'pending' }), visit(-5), 'past-time'],
    ['moves to a time that has passed', visit(90), visit(-5), 'past-time'],
    ['moves inside the notice', visit(90), visit(5), 'minimum-notice'],
    ['was proposed, and is booked inside the notice', visit(5, { status: 'proposed' }), visit(5), 'minimum-notice'],
    ['is held, and moves past the horizon', visit(90, { status: 'pending' }), visit(31 * DAY), 'booking-horizon'],
  ])('may not be one that %s: 422', (_what, before, then, code) => {
    expect(() => change(before, then)).toThrow(expect.objectContaining({ status: 422, code }))
  })
})

const RECORDED = ['waitlist', 'arrived', 'checked-in', 'fulfilled', 'cancelled', 'noshow', 'entered-in-error'] as const

describe('a cancellation window of 24 hours', () => {
  const giveUp = (before: Appointment, then: Appointment | undefined) =>
    checkCancellationWindow(before, then, { now: NOW, baseUrl: BASE }, { cancellationWindowHours: 24 })
  const reason = (code: string, system = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason') => ({
    status: 'cancelled' as const,
    cancelationReason: { coding: [{ system, code }] },
  })

  test.each<[string, Appointment | undefined]>([
    ['cancelled', visit(DAY - 1, { status: 'cancelled' })],
    ['cancelled by the patient', visit(DAY - 1, reason('pat'))],
    ['cancelled with a code of another system', visit(DAY - 1, reason('prov', 'urn:other'))],
    ['moved', visit(3 * DAY)],
    ['deleted', undefined],
    ['entered in error', visit(DAY - 1, { status: 'entered-in-error' })],
  ])('a visit in less is not %s: 422 that says until when it was possible', (_what, then) => {
    const refusal = { status: 422, code: 'cancellation-window', message: expect.stringContaining(inMinutes(-1)) }
    expect(() => giveUp(visit(DAY - 1), then)).toThrow(expect.objectContaining(refusal))
    if (then !== undefined) expect(() => giveUp(visit(DAY), then)).not.toThrow()
    expect(() => checkCancellationWindow(visit(DAY - 1), then, { now: NOW, baseUrl: BASE }, {})).not.toThrow()
  })

  test.each<[string, Appointment]>([
    ['cancelled by the clinic', visit(DAY - 1, reason('prov'))],
    ['cancelled by the clinic, as the practitioner is ill', visit(DAY - 1, reason('prov-pers'))],
    ['noshow', visit(DAY - 1, { status: 'noshow' })],
    ['arrived', visit(DAY - 1, { status: 'arrived' })],
    ['changed otherwise', visit(DAY - 1, { comment: 'Bring the letter' })],
  ])('a visit in less can be %s', (_what, then) => {
    expect(() => giveUp(visit(DAY - 1), then)).not.toThrow()
  })

  test.each<[string, readonly string[], boolean]>([
    ['keeps its slot', ['Slot/a'], true],
    ['keeps its slot, by the whole address', [`${BASE}/Slot/a`], true],
    ['takes another one besides', ['Slot/b', 'Slot/a'], true],
    ['leaves its slot', ['Slot/b'], false],
    ['has no slot any more', [], false],
  ])('a visit that stays at its time in less and %s', (_what, slots, isAllowed) => {
    const inSlots = (references: readonly string[]) =>
      visit(DAY - 1, { slot: references.map((reference) => ({ reference })) })
    const move = () => giveUp(inSlots(['Slot/a']), inSlots(slots))
    if (isAllowed) expect(move).not.toThrow()
    else expect(move).toThrow(expect.objectContaining({ code: 'cancellation-window' }))
  })

  test('does not concern a hold or a proposal', () => {
    for (const status of ['pending', 'proposed'] as const)
      expect(() => giveUp(visit(5, { status }), visit(5, { status: 'cancelled' }))).not.toThrow()
  })
})
