/** An empty clinic, and the day on which scenarios are loaded into it. */
import type { ClinicSettings } from '../../../src/clinics/settings.ts'
import { writeSettings } from '../../../src/clinics/settings.ts'
import type { Context } from '../../../src/core/context.ts'
import type { ClinicDay } from '../../../src/rehearsal/scenarios/moments.ts'
import { openTestRepository } from '../../support/repository.ts'

/** While the clinic is open. */
export const MONDAY: ClinicDay = {
  clinic: 'north-side',
  clinicName: 'North Side',
  timeZone: 'America/New_York',
  now: Date.parse('2026-03-02T10:45:00-05:00'),
}

/** A clinic in a store of its own, at that time. */
export async function openTestClinic({ clinic, clinicName: name, timeZone, now }: ClinicDay) {
  const { access, repository } = await openTestRepository(now)
  const settings: ClinicSettings = {
    name,
    timeZone,
    dialedNumbers: [],
    defaultRegion: 'US',
    policies: { overbooking: false, slotTakenStatus: 409 },
  }
  await repository.change(clinic, (unit) => writeSettings(unit, settings))
  return {
    repository,
    look: () => access(clinic).reader(),
    change: <Result>(work: (ctx: Context) => Promise<Result>) => access(clinic).change(work),
  }
}
