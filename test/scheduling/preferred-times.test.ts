/** Times that a Timing requests, at the ends of its hours: test/operations/appointment-find.test.ts has the rest. */
import { describe, expect, test } from '@jest/globals'
import type { TimingRepeat } from 'fhir/r4'
import { preferredTimes } from '../../src/scheduling/preferred-times.ts'
import { ZoneClock } from '../../src/scheduling/zone-clock.ts'

const CLOCK = new ZoneClock('America/New_York')
const HALF_HOUR = 1_800_000

/** Whether a visit that begins then, on a day in New York, is wanted. */
function isWanted(repeat: TimingRepeat, time: string): boolean | undefined {
  const start = CLOCK.instantFrom(Date.parse(`2031-03-05T${time}:00Z`))
  return preferredTimes({ repeat }, CLOCK, 0).isWanted?.(start, start + HALF_HOUR)
}

describe('hours include their first minute and not their last, and go on after midnight', () => {
  const cases: readonly (readonly [string, TimingRepeat, readonly string[], readonly string[]])[] = [
    ['a part of the day', { when: ['AFT'] }, ['12:00', '17:59'], ['11:59', '18:00']],
    ['the night', { when: ['NIGHT'] }, ['22:00', '23:59', '00:00', '04:59'], ['21:59', '05:00']],
    [
      'hours that an offset moves over midnight',
      { when: ['EVE.late'], offset: 180 },
      ['22:00', '23:59', '00:00', '00:59'],
      ['21:59', '01:00'],
    ],
    [
      'hours that an offset moves back over midnight',
      { when: ['ACM'], offset: 390 },
      ['23:30', '23:59', '00:00', '00:29'],
      ['23:29', '00:30'],
    ],
  ]
  test.each(cases)('%s', (_what, repeat, wanted, unwanted) => {
    for (const time of wanted) expect([time, isWanted(repeat, time)]).toEqual([time, true])
    for (const time of unwanted) expect([time, isWanted(repeat, time)]).toEqual([time, false])
  })
})
