/** The time of the clinic in the dashboard: that of the server, ahead of it, or standing still. */
import { beforeEach, expect, test } from '@jest/globals'
import { clinicClockSetting, clinicNow, heardClinicClock, isRealTime, now } from '../../dashboard/api/clock.ts'

const DAY = 86_400_000
const ahead = (milliseconds: number) => ({ at: new Date(now() + milliseconds).toISOString(), runs: true })

beforeEach(() => heardClinicClock(undefined))

test('a clinic without a clock of its own has the time of the server', () => {
  expect(isRealTime()).toBe(true)
  expect(Math.abs(clinicNow() - now())).toBeLessThan(1000)
})

test('a clock that is ahead is that of the clinic, and a reading that is a little off is no jump of it', () => {
  heardClinicClock(ahead(3 * DAY))
  const setting = clinicClockSetting()
  expect(isRealTime()).toBe(false)
  expect(Math.round((clinicNow() - now()) / DAY)).toBe(3)
  heardClinicClock(ahead(3 * DAY + 900))
  expect(clinicClockSetting()).toBe(setting)
  heardClinicClock(ahead(4 * DAY))
  expect(clinicClockSetting()).not.toBe(setting)
})

test('a difference of seconds is none, as responses take time', () => {
  heardClinicClock(ahead(5000))
  expect(isRealTime()).toBe(true)
})

test('a clock that stands still has the time at which it stands, and goes on from there', () => {
  const at = '2027-03-14T06:30:00.000Z'
  heardClinicClock({ at, runs: false })
  expect([clinicNow(), isRealTime()]).toEqual([Date.parse(at), false])
  heardClinicClock(ahead(2 * DAY))
  expect(Math.round((clinicNow() - now()) / DAY)).toBe(2)
})

test('a clock that a reset has set back is that of the server again', () => {
  heardClinicClock(ahead(30 * DAY))
  heardClinicClock(ahead(0))
  expect(isRealTime()).toBe(true)
})
