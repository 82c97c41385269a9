/** By whose clock the contact window opens, and when, on days of 23 and of 25 hours too. */
import { expect, test } from '@jest/globals'
import type { Address } from 'fhir/r4'
import { DateTime } from 'luxon'
import { firstOpen, windowOf } from '../../../src/calls/record/contact-consent.ts'

const ZONE = 'America/New_York'
const at = (local: string): number => DateTime.fromISO(local, { zone: ZONE }).toMillis()
const NINE_TO_FIVE = { zone: ZONE, from: 9 * 60, until: 17 * 60 }
const WHOLE_DAY = { zone: ZONE, from: 0, until: 24 * 60 }

test.each([
  ['before it', NINE_TO_FIVE, '2026-01-05T08:59:59', '2026-01-05T09:00'],
  ['at its beginning', NINE_TO_FIVE, '2026-01-05T09:00', '2026-01-05T09:00'],
  ['within it', NINE_TO_FIVE, '2026-01-05T16:59:59', '2026-01-05T16:59:59'],
  ['at its end', NINE_TO_FIVE, '2026-01-05T17:00', '2026-01-06T09:00'],
  ['on the last evening of a year', NINE_TO_FIVE, '2025-12-31T23:00', '2026-01-01T09:00'],
  ['in the night before clocks go forward', NINE_TO_FIVE, '2026-03-07T23:00', '2026-03-08T09:00'],
  ['in the night before clocks go back', NINE_TO_FIVE, '2026-10-31T23:00', '2026-11-01T09:00'],
  ['of the whole day, at midnight', WHOLE_DAY, '2026-01-05T00:00', '2026-01-05T00:00'],
  ['of the whole day, a minute before midnight', WHOLE_DAY, '2026-01-05T23:59', '2026-01-05T23:59'],
  ['that begins where clocks go forward', { ...NINE_TO_FIVE, from: 150 }, '2026-03-08T01:00', '2026-03-08T03:30'],
])('%s', (_, window, moment, opens) => {
  expect(firstOpen(window, at(moment))).toBe(at(opens))
})

test('an hour that comes twice is within it twice', () => {
  const window = { zone: ZONE, from: 60, until: 120 }
  const first = Date.parse('2026-11-01T01:30-04:00')
  const second = Date.parse('2026-11-01T01:30-05:00')
  expect([firstOpen(window, first), firstOpen(window, second)]).toEqual([first, second])
})

const CLINIC = {
  name: 'Clinic',
  timeZone: ZONE,
  dialedNumbers: [],
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
} as const
const addressIn = (zone: string, use?: Address['use']): Address => ({
  ...(use === undefined ? {} : { use }),
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/timezone', valueCode: zone }],
})

test.each<[string, readonly Address[], string]>([
  ['the clinic where no address tells one', [{ city: 'Fresno' }], ZONE],
  ['the patient where an address tells it', [addressIn('America/Denver')], 'America/Denver'],
  ['the clinic where only an old address tells one', [addressIn('America/Denver', 'old')], ZONE],
  [
    'the address that is not old',
    [addressIn('America/Denver', 'old'), addressIn('America/Los_Angeles', 'home')],
    'America/Los_Angeles',
  ],
])('it opens by the clock of %s', (_whose, address, zone) => {
  expect(windowOf(CLINIC, { resourceType: 'Patient', address: [...address] }).zone).toBe(zone)
})
