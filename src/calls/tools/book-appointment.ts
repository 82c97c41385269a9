/** book_appointment: books a time offered by find_available_slots, for the verified patient or the call's new one. */
import type { Appointment, Patient } from 'fhir/r4'
import { book } from '../../booking/book.ts'
import { holdersOf } from '../../booking/holders.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput, type OperationRequest } from '../../core/operation.ts'
import { timeOf } from '../../fhir/dates.ts'
import type { Versioned } from '../../repository/repository.ts'
import { recordCall } from '../record/call-record.ts'
import { rememberVisit } from '../record/written-by-call.ts'
import { callerFor } from '../session/verification.ts'
import { askedType } from '../visits/asked-visit.ts'
import { type OfferedTime, readTime, type TimeToBook, timeOfKey, visitAt } from '../visits/offered-time.ts'
import { isOf, keptReason, keyForAppointment, requireCall } from '../visits/own-appointment.ts'
import { spokenRefusals } from '../visits/refusals.ts'
import { spokenVisit } from '../visits/visit-label.ts'

export const bookAppointment = defineOperation('appointment-book-appointment', (request) => {
  const call = requireCall(request.call)
  return spokenRefusals(() => request.access.change((ctx) => bookFor(ctx, request, call)))
})

async function bookFor(ctx: Context, request: OperationRequest, call: CallSession) {
  const patient = await callerFor(ctx, request)
  const offered = await timeOfKey(ctx, call, request.input.slotKey)
  const time = await readTime(ctx, offered)
  const earlier = await bookedAlready(ctx, time, patient.id)
  const booked = earlier ?? (await bookNow(ctx, request.input, { call, patient, offered, time }))
  const appointmentKey = await keyForAppointment(ctx, call, booked.id ?? '')
  const { start, label } = await spokenVisit(ctx, booked.start ?? offered.start, time.schedule.actor)
  return {
    success: true,
    appointmentKey,
    start,
    label,
    ...(earlier === undefined ? {} : { code: 'already-booked' }),
    say: `You are booked for ${label}.`,
  }
}

/** Repeating a booking does not create a second visit. */
async function bookedAlready(ctx: Context, { slots }: TimeToBook, patient: string): Promise<Appointment | undefined> {
  const [first] = slots
  if (first.status === 'free') return undefined
  const holders = await holdersOf(ctx, first.id)
  return holders.find(
    (holder) =>
      holder.status === 'booked' && isOf(holder, patient, ctx) && timeOf(holder.start) === timeOf(first.start),
  )
}

interface BookingRequest {
  readonly call: CallSession
  readonly patient: Versioned<Patient>
  readonly offered: OfferedTime
  readonly time: TimeToBook
}

async function bookNow(
  ctx: Context,
  { appointmentType, reason: said }: OperationInput,
  { call, patient, offered, time }: BookingRequest,
): Promise<Appointment> {
  const ofKey = offered.type === undefined ? undefined : { query: offered.type }
  const type = (await askedType(ctx, call, appointmentType)) ?? ofKey
  const reason = keptReason(said)
  const visit = await visitAt(ctx, time, patient.id, type)
  const created = new Date(ctx.now).toISOString()
  const resource = { ...visit, created, ...(reason === undefined ? {} : { reasonCode: [{ text: reason }] }) }
  const booked = await book(ctx, { what: { resource } })
  await rememberVisit(ctx, call, patient, booked)
  await recordCall(ctx, call, patient, {
    activity: bookAppointment.code,
    written: [booked],
    ...(reason === undefined ? {} : { reasonForVisit: reason }),
  })
  return booked.resource
}
