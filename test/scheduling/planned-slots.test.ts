/** Working hours as times that can be booked, also where the clocks change. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type AppointmentType, DAYS_OF_WEEK, type SlotPlan } from '../../src/scheduling/availability.ts'
import {
  type Block,
  endOf,
  horizonEnd,
  nextMidnight,
  plannedBlocks,
  startOf,
} from '../../src/scheduling/planned-slots.ts'
import { ZoneClock } from '../../src/scheduling/zone-clock.ts'
import { randomRuns } from '../support/random-runs.ts'
import { daily, minuteAt, planOf } from './availability-samples.ts'

const DAY = 86_400_000

/** The blocks of days, from midnight to midnight. */
function blocks(plan: SlotPlan, day: string, days = 1): readonly Block[] {
  const clock = new ZoneClock(plan.timeZone)
  const midnight = Date.parse(day)
  return [...plannedBlocks(plan, clock.instantFrom(midnight), clock.instantFrom(midnight + days * DAY))]
}

const times = (plan: SlotPlan, day: string, days = 1): readonly string[] =>
  blocks(plan, day, days)
    .flat()
    .map(({ start, end, kind }) => {
      const clock = new ZoneClock(plan.timeZone)
      const [from, until] = [start, end].map((instant) => clock.format(instant))
      return `${from?.slice(11, 16)} ${from?.slice(19)} to ${until?.slice(11, 16)} ${until?.slice(19)}${kind === 'buffer' ? ' buffer' : ''}`
    })

const starts = (plan: SlotPlan, day: string, days = 1): readonly string[] =>
  times(plan, day, days).map((text) => text.slice(0, 5))

describe('the times of a day', () => {
  test('lie side by side within the hours, and the last ends before closing', () => {
    const plan = planOf('Europe/Berlin', { weeklyHours: [daily('13:00', '14:15'), daily('09:00', '10:00')] })
    expect(times(plan, '2026-03-02')).toEqual([
      '09:00 +01:00 to 09:30 +01:00',
      '09:30 +01:00 to 10:00 +01:00',
      '13:00 +01:00 to 13:30 +01:00',
      '13:30 +01:00 to 14:00 +01:00',
    ])
  })

  test('are there on the days of the hours only', () => {
    const plan = planOf('Europe/Berlin', { weeklyHours: [{ ...daily('09:00', '09:30'), daysOfWeek: ['sat', 'sun'] }] })
    expect(starts(plan, '2026-03-06')).toEqual([])
    expect(starts(plan, '2026-03-07')).toEqual(['09:00'])
    expect(starts(plan, '2026-03-08')).toEqual(['09:00'])
  })

  test('begin again after each break, which holds on its days only', () => {
    const lunch = { daysOfWeek: ['mon'] as const, from: minuteAt('10:15'), until: minuteAt('10:40') }
    const plan = planOf('UTC', { weeklyHours: [daily('09:30', '12:00')], breaks: [lunch] })
    expect(starts(plan, '2026-03-02')).toEqual(['09:30', '10:40', '11:10'])
    expect(starts(plan, '2026-03-03')).toEqual(['09:30', '10:00', '10:30', '11:00', '11:30'])
  })

  test('are those of the special hours of the date, without breaks', () => {
    const special = { date: '2026-12-24', from: minuteAt('09:00'), until: minuteAt('10:00') }
    const breaks = [daily('09:00', '09:30')]
    const plan = planOf('UTC', { weeklyHours: [daily('09:00', '17:00')], breaks, specialHours: [special] })
    expect(starts(plan, '2026-12-24')).toEqual(['09:00', '09:30'])
    expect(starts(plan, '2026-12-23')).toHaveLength(15)
  })

  test('leave out holidays, whose dates are whole days of the zone, and absences of some hours', () => {
    const notAvailable = [
      { start: '2026-12-24', end: '2026-12-26' },
      { start: '2026-12-28T09:45:00-05:00', end: '2026-12-28T15:30:00Z' },
    ]
    const plan = planOf('America/New_York', { weeklyHours: [daily('09:00', '11:00')], notAvailable })
    const days = ['23', '24', '25', '26', '27', '28'].map((day) => starts(plan, `2026-12-${day}`))
    expect(days.map((day) => day.length)).toEqual([4, 0, 0, 0, 4, 2])
    expect(days.at(-1)).toEqual(['09:00', '10:30'])
  })

  test('lie within the planning horizon of the Schedule', () => {
    const plan = planOf('America/New_York', {
      weeklyHours: [daily('23:00', '24:00')],
      planningHorizon: { start: '2026-03-03', end: '2026-03-04' },
    })
    expect([2, 3, 4, 5].map((day) => starts(plan, `2026-03-0${day}`).length)).toEqual([0, 2, 2, 0])
  })

  test('of an appointment type have its length, with buffers around them', () => {
    const type = { coding: [{ code: 'CHECKUP' }] }
    const plan = planOf('UTC', {
      weeklyHours: [{ ...daily('09:00', '11:00'), appointmentType: 'CHECKUP' }, daily('11:00', '11:30')],
      appointmentTypes: [{ code: 'CHECKUP', type, minutes: 40, bufferBefore: 5, bufferAfter: 10 }],
    })
    expect(times(plan, '2026-03-02')).toEqual([
      '09:00 +00:00 to 09:05 +00:00 buffer',
      '09:05 +00:00 to 09:45 +00:00',
      '09:45 +00:00 to 09:55 +00:00 buffer',
      '09:55 +00:00 to 10:00 +00:00 buffer',
      '10:00 +00:00 to 10:40 +00:00',
      '10:40 +00:00 to 10:50 +00:00 buffer',
      '11:00 +00:00 to 11:30 +00:00',
    ])
    const types = blocks(plan, '2026-03-02').flatMap((block) => block.map((slot) => slot.appointmentType))
    expect(types).toEqual([undefined, type, undefined, undefined, type, undefined, undefined])
  })
})

describe('where the clocks change', () => {
  test('the hour that daylight saving skips has no times', () => {
    expect(times(planOf('America/New_York', { weeklyHours: [daily('01:30', '03:30')] }), '2026-03-08')).toEqual([
      '01:30 -05:00 to 03:00 -04:00',
      '03:00 -04:00 to 03:30 -04:00',
    ])
  })

  test('the hour that it repeats is offered once', () => {
    expect(times(planOf('America/New_York', { weeklyHours: [daily('00:30', '02:30')] }), '2026-11-01')).toEqual([
      '00:30 -04:00 to 01:00 -04:00',
      '01:00 -04:00 to 01:30 -04:00',
      '01:30 -04:00 to 01:00 -05:00',
      '02:00 -05:00 to 02:30 -05:00',
    ])
  })

  test('times keep what clocks show before and after', () => {
    const plan = planOf('America/New_York', { weeklyHours: [daily('09:00', '09:30')] })
    expect(times(plan, '2026-03-06')).toEqual(['09:00 -05:00 to 09:30 -05:00'])
    expect(times(plan, '2026-03-09')).toEqual(['09:00 -04:00 to 09:30 -04:00'])
  })

  test('a midnight that daylight saving skips has none', () => {
    expect(times(planOf('America/Santiago', { weeklyHours: [daily('00:00', '02:00')] }), '2026-09-06')).toEqual([
      '01:00 -03:00 to 01:30 -03:00',
      '01:30 -03:00 to 02:00 -03:00',
    ])
  })

  test('a visit that would last into the next one, as an hour is skipped, comes in its place', () => {
    const plan = planOf('America/New_York', { slotMinutes: 45, weeklyHours: [daily('00:00', '05:00')] })
    expect(times(plan, '2026-03-08')).toEqual([
      '00:00 -05:00 to 00:45 -05:00',
      '00:45 -05:00 to 01:30 -05:00',
      '01:30 -05:00 to 03:15 -04:00',
      '03:45 -04:00 to 04:30 -04:00',
    ])
  })

  test('a day that a zone has left out has none, and the days around it are whole', () => {
    const plan = planOf('Pacific/Apia', { slotMinutes: 60, weeklyHours: [daily('08:00', '12:00')] })
    expect(starts(plan, '2011-12-29', 3)).toEqual([
      ...['08:00', '09:00', '10:00', '11:00'],
      ...['08:00', '09:00', '10:00', '11:00'],
    ])
  })
})

describe('the horizon', () => {
  test('ends at a midnight of the zone, today counting as the first day', () => {
    const plan = planOf('America/New_York', { horizonDays: 7 })
    const shown = (instant: number) => new ZoneClock(plan.timeZone).format(instant)
    const now = Date.parse('2026-03-04T23:30:00-05:00')
    expect(shown(horizonEnd(plan, now))).toBe('2026-03-11T00:00:00-04:00')
    expect(shown(nextMidnight(plan.timeZone, now))).toBe('2026-03-05T00:00:00-05:00')
    expect(nextMidnight(plan.timeZone, Date.parse('2026-03-05T00:00:00-05:00'))).toBeGreaterThan(
      Date.parse('2026-03-05T12:00:00-05:00'),
    )
  })
})

describe('for any hours, in zones whose clocks change', () => {
  /** A zone, and a day near one of its changes. */
  const CHANGES = [
    ['Europe/Berlin', '2026-03-29'],
    ['Europe/Berlin', '2026-10-25'],
    ['America/New_York', '2026-03-08'],
    ['America/New_York', '2026-11-01'],
    ['Australia/Lord_Howe', '2026-10-04'],
    ['Australia/Lord_Howe', '2026-04-05'],
    ['Pacific/Apia', '2011-12-30'],
    ['Europe/Berlin', '2026-07-01'],
  ] as const
  const minute = fc.integer({ min: 0, max: 288 }).map((step) => step * 5)
  const hours = fc
    .uniqueArray(minute, { minLength: 2, maxLength: 6 })
    .map((edges) => edges.toSorted((one, other) => one - other))
    .map((edges) =>
      edges.flatMap((from, index) => {
        const until = edges[index + 1]
        return index % 2 === 0 && until !== undefined ? [{ daysOfWeek: DAYS_OF_WEEK, from, until }] : []
      }),
    )
  const visit: fc.Arbitrary<AppointmentType> = fc.record({
    code: fc.constant('X'),
    type: fc.constant({ text: 'x' }),
    minutes: fc.integer({ min: 5, max: 120 }),
    bufferBefore: fc.integer({ min: 0, max: 30 }),
    bufferAfter: fc.integer({ min: 0, max: 30 }),
  })
  const plans = fc
    .record({ change: fc.constantFrom(...CHANGES), hours, breaks: hours, visit, isTyped: fc.boolean() })
    .map(({ change: [zone, day], hours: weekly, breaks, visit: type, isTyped }) => ({
      day,
      plan: planOf(zone, {
        slotMinutes: type.minutes,
        weeklyHours: weekly.map((one) => (isTyped ? { ...one, appointmentType: 'X' } : one)),
        breaks: breaks.slice(0, 1),
        appointmentTypes: [type],
      }),
    }))
  const from = (day: string) => Date.parse(day) - 2 * DAY
  const until = (day: string) => Date.parse(day) + 3 * DAY

  test('blocks begin at a time that clocks show, within the hours, and end within them', () => {
    fc.assert(
      fc.property(plans, ({ day, plan }) => {
        const clock = new ZoneClock(plan.timeZone)
        for (const block of plannedBlocks(plan, from(day), until(day))) {
          const shown = clock.wallTimeAt(startOf(block))
          const minutes = (shown % DAY) / 60_000
          const midnight = shown - (shown % DAY)
          const within = plan.weeklyHours.find((one) => one.from <= minutes && minutes < one.until)
          expect(within).toBeDefined()
          expect(endOf(block)).toBeLessThanOrEqual(clock.instantFrom(midnight + (within?.until ?? 0) * 60_000))
          expect(plan.breaks.some((one) => one.from <= minutes && minutes < one.until)).toBe(false)
          // The first time that clocks show this: a repeated hour is offered once.
          expect(clock.instantOf(shown)).toBe(startOf(block))
        }
      }),
      { numRuns: randomRuns(1000) },
    )
  })

  test('no two overlap, none has the same time on the clock, and each lasts as long as it says', () => {
    fc.assert(
      fc.property(plans, ({ day, plan }) => {
        const all = [...plannedBlocks(plan, from(day), until(day))]
        const clock = new ZoneClock(plan.timeZone)
        for (const [index, block] of all.entries()) {
          const next = all[index + 1]
          if (next !== undefined) expect(startOf(next)).toBeGreaterThanOrEqual(endOf(block))
          const { minutes } = plan.appointmentTypes[0] ?? { minutes: 0 }
          const visits = block.filter(({ kind }) => kind === 'visit')
          expect(visits.map(({ start, end }) => (end - start) / 60_000)).toEqual([minutes])
        }
        const shown = all.map((block) => clock.wallTimeAt(startOf(block)))
        expect(new Set(shown).size).toBe(shown.length)
      }),
      { numRuns: randomRuns(1000) },
    )
  })

  test('the same blocks come, however the time is cut into windows between them', () => {
    fc.assert(
      fc.property(plans, fc.nat({ max: 5 * DAY }), ({ day, plan }, cut) => {
        const [start, end] = [from(day), until(day)]
        const all = [...plannedBlocks(plan, start, end)]
        const middle = all.find((block) => startOf(block) >= start + cut)?.[0]?.start ?? end
        expect([...plannedBlocks(plan, start, middle), ...plannedBlocks(plan, middle, end)]).toEqual(all)
      }),
      { numRuns: randomRuns(500) },
    )
  })

  test('on a day without a change every minute of the hours is offered, but for the rest at the end of each', () => {
    const plan = planOf('Europe/Berlin', {
      slotMinutes: 7,
      weeklyHours: [daily('08:00', '12:00'), daily('13:00', '17:00')],
    })
    expect(blocks(plan, '2026-07-01')).toHaveLength(2 * Math.floor(240 / 7))
  })
})
