/** Waitlist offers read to a calling patient, if the clinic makes such offers by phone. */
import type { Appointment, Schedule, Slot, Task } from 'fhir/r4'
import { freeRunFrom, isLongEnough } from '../../booking/slot-runs.ts'
import { entryOf, offersToPatient, slotOf } from '../../booking/waitlist-offers.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { scheduleOf } from '../../reservations/reservation.ts'
import { isBookable } from '../../scheduling/booking-policies.ts'
import { visitKindIn } from '../../scheduling/visit-type.ts'
import { queryOf, visitTypeOf } from './asked-visit.ts'
import type { OfferedTime } from './offered-time.ts'

export interface OfferedVisit {
  readonly time: OfferedTime
  readonly schedule: Schedule
}

/** Offers that can be booked now, sorted by start. @param patient Patient.id of a verified patient */
export async function offersByPhone(ctx: Context, patient: string): Promise<readonly OfferedVisit[]> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.waitlistOffersByPhone !== true) return []
  const tasks = await offersToPatient(ctx, patient)
  const visits = (await Promise.all(tasks.map((task) => offeredVisit(ctx, task)))).flatMap((visit) => visit ?? [])
  return visits
    .filter(({ time }) => isBookable(Date.parse(time.start), ctx.now, policies))
    .toSorted((one, other) => Date.parse(one.time.start) - Date.parse(other.time.start))
}

/** The visit that the waitlist entry asks for; undefined if the Slot, or one after it, is no longer free. */
async function offeredVisit(ctx: Context, task: Task): Promise<OfferedVisit | undefined> {
  const [slot, entry] = await Promise.all([
    ctx.find<Slot>('Slot', slotOf(task, ctx.baseUrl) ?? ''),
    ctx.find<Appointment>('Appointment', entryOf(task, ctx).replace('Appointment/', '')),
  ])
  const schedule = slot && (await scheduleOf(ctx, slot.resource))
  if (slot?.resource.status !== 'free' || entry === undefined || schedule === undefined) return undefined
  const query = queryOf(entry.resource)
  const kind = visitKindIn(schedule, slot.resource, query === undefined ? [] : [visitTypeOf({ query })])
  if (kind === undefined) return undefined
  const minutes = Math.max(entry.resource.minutesDuration ?? 0, kind.type?.minutes ?? 0)
  const run = await freeRunFrom(ctx, { ...slot.resource, id: slot.id }, minutes)
  if (!isLongEnough(run, minutes)) return undefined
  const { start = '' } = slot.resource
  return { schedule, time: { slots: run.map(({ id }) => id), start, ...(query === undefined ? {} : { type: query }) } }
}
