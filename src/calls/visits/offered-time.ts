/** The meaning of a slot key: the Slots of a visit, its start, and the requested kind of visit. */
import type { Appointment, Schedule, Slot, Task } from 'fhir/r4'
import { freeRunFrom, isLongEnough } from '../../booking/named-slots.ts'
import { resolvedActors } from '../../booking/resolvable-actors.ts'
import { entryOf, offersToPatient, slotOf } from '../../booking/waitlist-offers.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { timeOf } from '../../fhir/dates.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { scheduleOf } from '../../reservations/reservation.ts'
import { isBookable } from '../../scheduling/booking-policies.ts'
import type { SlotWithId } from '../../scheduling/generated-slot.ts'
import { proposedAppointment, servicesAt } from '../../scheduling/proposed-appointment.ts'
import type { Run } from '../../scheduling/slot-times.ts'
import { agree, codesOf, type VisitKind, visitKindIn } from '../../scheduling/visit-type.ts'
import { keysFor, unknownKey, valueOfKey } from '../session/call-keys.ts'
import { type AskedType, queryOf, visitTypeOf } from './asked-visit.ts'

export interface OfferedTime {
  /** Slot.id, in order. */
  readonly slots: readonly string[]
  /** FHIR instant. */
  readonly start: string
  /** In the form of OfferedType.query. */
  readonly type?: string
}

/** Slot keys, in the same order. */
export const keysForTimes = (
  ctx: Context,
  call: CallSession,
  times: readonly OfferedTime[],
): Promise<readonly string[]> =>
  keysFor(
    ctx,
    call,
    'slot',
    times.map(({ slots, start, type }) => JSON.stringify([type ?? '', start, ...slots])),
  )

/** @throws FhirError 404 `unknown-key` */
export async function timeOfKey(ctx: Context, call: CallSession, key: unknown): Promise<OfferedTime> {
  const value = await valueOfKey(ctx, call, 'slot', String(key))
  if (value === undefined) throw unknownKey('slot', 'slotKey')
  const [type = '', start = '', ...slots] = JSON.parse(value) as readonly string[]
  return { slots, start, ...(type === '' ? {} : { type }) }
}

export interface TimeToBook {
  readonly schedule: Schedule
  readonly slots: Run
}

/** The current Slots, free or not. @throws FhirError 409 `slot-unavailable` if one was deleted or moved */
export async function readTime(ctx: Context, { slots, start }: OfferedTime): Promise<TimeToBook> {
  const found: SlotWithId[] = []
  for (const id of slots) {
    const slot = (await ctx.find<Slot>('Slot', id))?.resource
    if (slot === undefined) throw goneTime()
    found.push({ ...slot, id })
  }
  const [first, ...others] = found
  const schedule = first && (await scheduleOf(ctx, first))
  if (first === undefined || timeOf(first.start) !== timeOf(start) || schedule === undefined) throw goneTime()
  return { schedule, slots: [first, ...others] }
}

const goneTime = (): FhirError =>
  new FhirError(409, {
    code: 'conflict',
    reason: 'slot-unavailable',
    diagnostics: 'The time of slotKey is not offered any more; call find_available_slots again',
    expression: 'slotKey',
  })

/** The Appointment for a time. @throws FhirError 422 `type-not-at-this-time` */
export async function visitAt(
  ctx: Context,
  { schedule, slots }: TimeToBook,
  patient: string,
  type: Pick<AskedType, 'query'> | undefined,
): Promise<Appointment> {
  const visitTypes = type === undefined ? [] : [visitTypeOf(type)]
  const kind = visitKindIn(schedule, slots[0], visitTypes)
  if (kind === undefined || isTooShort(slots, kind)) throw otherType()
  const actors = await resolvedActors(ctx, schedule.actor)
  return proposedAppointment({ schedule, slots, actors }, { patients: [`Patient/${patient}`], visitTypes })
}

const isTooShort = (slots: Run, { type }: VisitKind): boolean => !isLongEnough(slots, type?.minutes ?? 0)

/**
 * Checks a visit that is to be moved. A Slot restricted to one type, or of a Schedule that states the duration of its
 * type, accepts only that type; any other accepts one of its services, if it is long enough.
 * @throws FhirError 422 `type-not-at-this-time`
 */
export function checkSameType(visit: Appointment, { schedule, slots }: TimeToBook): void {
  const [first] = slots
  const types = codesOf(visit.appointmentType === undefined ? [] : [visit.appointmentType])
  const kind = types.length === 0 ? undefined : visitKindIn(schedule, first, types)
  if (kind !== undefined && (kind.type !== undefined || first.appointmentType !== undefined)) {
    if (isTooShort(slots, kind)) throw otherType()
    return
  }
  const isForOthers = types.length > 0 && first.appointmentType !== undefined
  if (isForOthers || !agree(visit.serviceType, servicesAt(schedule, first).serviceType)) throw otherType()
  if (!isLongEnough(slots, minutesOf(visit))) throw otherType()
}

const minutesOf = ({ start = '', end = '' }: Appointment): number => (Date.parse(end) - Date.parse(start)) / 60_000 || 0

const otherType = (): FhirError =>
  new FhirError(422, {
    code: 'business-rule',
    reason: 'type-not-at-this-time',
    diagnostics:
      'slotKey is of a time that is not for this appointmentType or service, or too short; call find_available_slots with that type',
    text: 'I am sorry, that time does not fit this kind of appointment. Shall I look for one that does?',
    expression: 'appointmentType',
  })

export interface OfferedVisit {
  readonly time: OfferedTime
  readonly schedule: Schedule
}

/**
 * Waitlist offers that can be booked now, sorted by start, for a calling patient; none if the clinic makes no such offers
 * by phone.
 * @param patient Patient.id of a verified patient
 */
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
