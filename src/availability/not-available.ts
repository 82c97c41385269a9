/** Time in which a Schedule is not available, such as a holiday: docs/schedule.md */
import type { Schedule, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { scheduleIdOf } from '../reservations/reservation.ts'
import { kindOf } from '../scheduling/generated-slot.ts'
import { overlap } from '../scheduling/planned-slots.ts'
import { clockOf, spanOf } from '../scheduling/zone-clock.ts'
import { availabilityOf, parsedSchedule } from './known-availability.ts'

/** Whether a generated Slot is in such time, so that it would not be generated any more. */
export async function isInNotAvailable(ctx: Context, slot: Slot): Promise<boolean> {
  if (kindOf(slot) === undefined) return false
  const found = await ctx.find<Schedule>('Schedule', scheduleIdOf(slot, ctx.baseUrl) ?? '')
  const { timeZone, notAvailable = [] } = (found && availabilityOf(parsedSchedule(ctx.clinic, found))) ?? {}
  if (notAvailable.length === 0) return false
  const clock = clockOf(timeZone ?? (await readSettings(ctx.unit, ctx.clinic)).timeZone)
  const span = { start: timeOf(slot.start), end: timeOf(slot.end) }
  return notAvailable.some((period) => overlap(spanOf(period, clock), span))
}
