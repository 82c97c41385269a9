/** Which visits an entry of the waitlist wants, whose turn it is, and its position. */
import { describe, expect, test } from '@jest/globals'
import type { Appointment } from 'fhir/r4'
import { byTurn, positionOf, type WaitlistEntry, wants } from '../../src/scheduling/waitlist.ts'
import { clockOf } from '../../src/scheduling/zone-clock.ts'

const BASE = 'http://localhost'
const READING = { baseUrl: BASE, clock: clockOf('America/New_York') }

const entry = (more: Partial<Appointment> = {}, ...actors: readonly string[]): Appointment => ({
  resourceType: 'Appointment',
  status: 'waitlist',
  participant: ['Patient/1', ...actors].map((reference) => ({ actor: { reference }, status: 'accepted' })),
  ...more,
})
const waiting = (id: string, more: Partial<Appointment> = {}, ...actors: readonly string[]): WaitlistEntry => ({
  id,
  resource: entry(more, ...actors),
})

/** Half an hour from midnight on, in New York. */
const start = Date.parse('2025-03-10T00:00:00-04:00')
const visit = { start, end: start + 1_800_000, types: {}, actors: new Set(['Practitioner/1', 'Location/1']) }

describe('wants', () => {
  test.each([
    ['a date is a whole day of the clinic', { start: '2025-03-10', end: '2025-03-10' }, true],
    ['so is the day before', { start: '2025-03-09', end: '2025-03-09' }, false],
    ['an end is not part of a period with times', { start: '2025-03-09', end: '2025-03-10T00:00:00-04:00' }, false],
    ['a period without an end is open', { start: '2025-03-10T00:00:00-04:00' }, true],
    ['one without a start too', { end: '2025-03-10' }, true],
  ])('%s', (_rule, period, wanted) => {
    expect(wants(entry({ requestedPeriod: [period] }), visit, READING)).toBe(wanted)
  })

  test('one of several periods, practitioners and places is enough, and each kind of them counts', () => {
    const periods = { requestedPeriod: [{ start: '2025-01-01', end: '2025-01-02' }, { start: '2025-03-10' }] }
    expect(wants(entry(periods, 'Practitioner/2', 'Practitioner/1', 'Location/1'), visit, READING)).toBe(true)
    expect(wants(entry(periods, 'Practitioner/1', 'Location/2'), visit, READING)).toBe(false)
  })

  test('a reference with the address of this server is the same', () => {
    expect(wants(entry({}, `${BASE}/Practitioner/1`), visit, READING)).toBe(true)
  })
})

test('priority 1 comes before none, which is 5, and 9; then who joined first, then the id', () => {
  const entries = [
    waiting('nine', { priority: 9, created: '2020-01-01' }),
    waiting('b', { created: '2025-01-02' }),
    waiting('a', { created: '2025-01-02', priority: 0 }),
    waiting('first', { created: '2025-01-01', priority: 5 }),
    waiting('one', { priority: 1, created: '2025-02-01' }),
  ]
  expect(entries.toSorted(byTurn).map(({ id }) => id)).toEqual(['one', 'first', 'a', 'b', 'nine'])
})

test('the position counts those before that may want the same visits', () => {
  const type = (code: string) => ({ appointmentType: { coding: [{ system: 's', code }] } })
  const mine = waiting('me', { created: '2025-01-05', ...type('CHECKUP') }, 'Practitioner/1')
  const others = [
    waiting('same', { created: '2025-01-01', ...type('CHECKUP') }, 'Practitioner/1'),
    waiting('any', { created: '2025-01-01' }),
    waiting('other-type', { created: '2025-01-01', ...type('ROUTINE') }, 'Practitioner/1'),
    waiting('other-person', { created: '2025-01-01' }, 'Practitioner/2'),
    waiting('later', { created: '2025-01-06' }),
  ]
  expect(positionOf(mine, [...others, mine], READING)).toBe(3)
})
