/**
 * Visits that the practice moves a while after they were booked: to the next free time of the same Schedule, or cancelled where
 * there is none. Each has a due record, which is written with the booking and survives a restart.
 */
import type { Appointment, Slot } from 'fhir/r4'
import { cancel, reschedule } from '../../booking/book.ts'
import { FreeSlots, SlotsByStart } from '../../booking/free-slots.ts'
import { slotsOf } from '../../booking/named-slots.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { timeOf } from '../../fhir/dates.ts'
import { FhirError } from '../../fhir/outcome.ts'
import type { BackgroundLoop } from '../../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../../repository/due-records.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { scheduleIdOf } from '../../reservations/reservation.ts'
import type { SlotWithId } from '../../scheduling/generated-slot.ts'

/** Empty, as its key and its time say all. */
type PlannedMove = Readonly<Record<string, never>>

const PLANNED_MOVE = recordKind<PlannedMove>('planned-move')

/** Stages the move of a visit. @param after seconds */
export function planMove({ unit }: Context, id: string, after: number): void {
  unit.records.put(PLANNED_MOVE, id, {}, { due: unit.now + after * 1_000, expect: 'any' })
}

export const visitMoves = (services: DueServicesOf<ClinicAccess>): BackgroundLoop =>
  dueRecordLoop(services, {
    kind: PLANNED_MOVE,
    failure: 'a visit could not be moved as its fault says',
    finish: (clinic, key) => moveVisit(services.accessOf(clinic), key),
  })

/** The practice is not bound by the clinic's rules for patients: see Context.isImport. */
const AS_PRACTICE = { isImport: true }

async function moveVisit(access: ClinicAccess, id: string): Promise<boolean> {
  const to = (move: (ctx: Context, visit: Appointment) => Promise<unknown>) =>
    access.change((ctx) => finish(ctx, id, move), AS_PRACTICE)
  try {
    return await to(moveOrCancel)
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    return await to(cancelVisit)
  }
}

/** @returns false where another process has moved it */
async function finish(
  ctx: Context,
  id: string,
  move: (ctx: Context, visit: Appointment) => Promise<unknown>,
): Promise<boolean> {
  const { records, now } = ctx.unit
  const planned = await records.read(PLANNED_MOVE, id)
  if (planned?.due == null || planned.due > now) return false
  records.delete(PLANNED_MOVE, id)
  const visit = (await ctx.find<Appointment>('Appointment', id))?.resource
  if (visit?.status === 'booked') await move(ctx, visit)
  return true
}

async function moveOrCancel(ctx: Context, visit: Appointment): Promise<void> {
  const slots = await nextFreeSlots(ctx, visit)
  if (slots === undefined) await cancelVisit(ctx, visit)
  else
    await reschedule(ctx, visit.id ?? '', { slots: slots.map(({ id }) => ({ reference: `Slot/${id}` })) }, BY_PRACTICE)
}

const BY_PRACTICE = 'Moved by the practice'

/** https://terminology.hl7.org/CodeSystem-appointment-cancellation-reason.html */
const REASON = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason', code: 'prov' }],
}

const cancelVisit = (ctx: Context, { id = '' }: Appointment) =>
  cancel(ctx, id, { reason: REASON, comment: 'Cancelled by the practice' })

const DAY = 86_400_000
/** Days in which a free time is looked for. */
const DAYS = 60

/** As many Slots of its Schedule in a row as the visit has, behind it; undefined where there are none. */
async function nextFreeSlots(ctx: Context, visit: Appointment): Promise<readonly SlotWithId[] | undefined> {
  const held = await slotsOf(ctx, visit)
  const last = held.toSorted((one, other) => timeOf(one.end) - timeOf(other.end)).at(-1)
  const schedule = last && scheduleIdOf(last, ctx.baseUrl)
  if (last === undefined || schedule === undefined) return undefined
  const from = timeOf(last.end)
  const wanted = { schedules: [schedule], from, until: from + DAYS * DAY, count: held.length }
  const slots = new SlotsByStart(new FreeSlots(ctx, wanted), ctx)
  for (let group = await slots.next(); group !== undefined; group = await slots.next()) {
    const row = await inARow(slots, group.slots, held)
    if (row !== undefined) return row
  }
  return undefined
}

async function inARow(
  slots: SlotsByStart,
  first: readonly SlotWithId[],
  held: readonly Slot[],
): Promise<readonly SlotWithId[] | undefined> {
  const row: SlotWithId[] = []
  let next: SlotWithId | undefined = first[0]
  while (next !== undefined && row.length < held.length) {
    row.push(next)
    next = (await slots.following(next))[0]
  }
  return row.length === held.length ? row : undefined
}
