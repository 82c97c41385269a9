/** Moves a visit to another time: the new slots are taken and the old ones freed in one change, or not at all. */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment, AppointmentParticipant, CodeableConcept, Reference, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import type { Versioned } from '../repository/repository.ts'
import { scheduleOf } from '../reservations/reservation.ts'
import { holdEndOf, holdExpired, isCancelledByExpiry } from '../scheduling/hold.ts'
import { withActors } from '../scheduling/participants.ts'
import { servicesAt } from '../scheduling/proposed-appointment.ts'
import { isSameSchedule } from '../scheduling/slot-times.ts'
import { inCommon } from '../scheduling/visit-type.ts'
import { namedSlots, noSuchSlot, slotsOf } from './named-slots.ts'
import { readProposal } from './proposal.ts'
import { resolvedActors } from './resolvable-actors.ts'

/** The slots, or the id of an Appointment that $find has offered for them. */
export type NewTime = { readonly slots: readonly Reference[] } | { readonly proposal: string }

/**
 * The visit keeps its id and status. If the new slots belong to another schedule, its actors replace those of the old
 * one; if they are for other services, these replace the services of the visit.
 * @param id Appointment.id
 * @param comment Appointment.comment
 * @throws FhirError 404, 409, 410, 422
 */
export async function reschedule(
  ctx: Context,
  id: string,
  to: NewTime,
  comment?: string,
): Promise<Versioned<Appointment>> {
  const found = await ctx.read<Appointment>('Appointment', id)
  const before = found.resource
  if (isCancelledByExpiry(before)) throw holdExpired(id)
  if (before.status !== 'booked' && before.status !== 'pending') throw notMovable(before)
  // An expired hold is checked here, as nothing else would notice it if the visit keeps its time.
  if ((holdEndOf(before) ?? Number.POSITIVE_INFINITY) <= ctx.now) throw holdExpired(id)
  const slot = 'slots' in to ? [...to.slots] : await slotsOffered(ctx, to.proposal)
  const slots = await slotsInOrder(ctx, slot)
  const [old] = await slotsOf(ctx, before)
  const next: Appointment = {
    ...(await withServices(ctx, before, old, slots)),
    slot,
    ...timesOf(slots, before),
    participant: await participantsOf(ctx, before, old, slots),
    ...(comment === undefined ? {} : { comment }),
  }
  return isDeepStrictEqual(next, before) ? found : await ctx.update<Appointment>(next)
}

const notMovable = ({ id, status }: Appointment): FhirError =>
  unprocessable(`Appointment/${id} is ${status}; only one that is booked or pending moves to another time`, {
    expression: 'Appointment.status',
    reason: 'not-movable',
  })

async function slotsOffered(ctx: Context, id: string): Promise<Reference[]> {
  const proposal = await readProposal(ctx, id)
  if (proposal?.slot !== undefined) return proposal.slot
  throw new FhirError(404, {
    code: 'not-found',
    diagnostics: `$find does not offer Appointment/${id} (any more); call $find again, or name slots`,
    expression: 'appointment-reference',
    reason: 'appointment-not-found',
  })
}

type Slots = readonly [Slot, ...Slot[]]

/** @throws FhirError 422 if there is none, or one does not exist */
async function slotsInOrder(ctx: Context, slot: readonly Reference[]): Promise<Slots> {
  const slots: Slot[] = []
  for (const { id, index } of namedSlots(ctx, { status: 'booked', slot: [...slot] })) {
    const found = await ctx.find<Slot>('Slot', id)
    if (found === undefined) throw noSuchSlot(id, index)
    slots.push(found.resource)
  }
  const [first, ...others] = slots.sort((one, other) => timeOf(one.start) - timeOf(other.start))
  if (first === undefined) throw unprocessable('Name a slot to move to', { expression: 'slot' })
  return [first, ...others]
}

function timesOf(slots: Slots, { minutesDuration }: Appointment) {
  const { start } = slots[0]
  const { end } = slots.at(-1) ?? slots[0]
  const minutes = Math.floor((timeOf(end) - timeOf(start)) / 60_000)
  return { start, end, ...(minutesDuration === undefined || !(minutes >= 1) ? {} : { minutesDuration: minutes }) }
}

/** Slots of several schedules are refused when the visit is written. */
async function participantsOf(
  ctx: Context,
  before: Appointment,
  old: Slot | undefined,
  [next]: Slots,
): Promise<AppointmentParticipant[]> {
  if (old !== undefined && isSameSchedule(old, next, ctx.baseUrl)) return before.participant
  const [oldActors, newActors] = [old === undefined ? [] : await actorsOf(ctx, old), await actorsOf(ctx, next)]
  return withActors(before.participant, oldActors, await resolvedActors(ctx, newActors), ctx.baseUrl)
}

const actorsOf = async (ctx: Context, slot: Slot): Promise<readonly Reference[]> =>
  (await scheduleOf(ctx, slot))?.actor ?? []

/** Replaces the services that came from the old slot by those of the new one. */
async function withServices(
  ctx: Context,
  visit: Appointment,
  old: Slot | undefined,
  [next]: Slots,
): Promise<Appointment> {
  const there = servicesAt(await scheduleOf(ctx, next), next)
  const here = old && servicesAt(await scheduleOf(ctx, old), old)
  if (isDeepStrictEqual(there, here)) return visit
  const { serviceCategory, serviceType, specialty, ...rest } = visit
  const kept = inCommon(serviceType ?? [], there.serviceType ?? [])
  const categories = there.serviceCategory ?? unless(serviceCategory, here?.serviceCategory)
  const types = kept.length > 0 ? kept : (there.serviceType ?? unless(serviceType, here?.serviceType))
  const specialties = there.specialty ?? unless(specialty, here?.specialty)
  return {
    ...rest,
    ...(categories === undefined ? {} : { serviceCategory: categories }),
    ...(types === undefined ? {} : { serviceType: types }),
    ...(specialties === undefined ? {} : { specialty: specialties }),
  }
}

type Concepts = CodeableConcept[] | undefined

/** The visit's own concepts, unless they came from the old slot. */
const unless = (own: Concepts, old: Concepts): Concepts => (isDeepStrictEqual(own, old) ? undefined : own)
