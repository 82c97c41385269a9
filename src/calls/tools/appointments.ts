/**
 * The tools for the appointments of a caller, by keys of the call: book_appointment, list_appointments,
 * reschedule_appointment, cancel_appointment and join_waitlist.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment, CodeableConcept, Patient } from 'fhir/r4'
import { book, cancel, reschedule } from '../../booking/book.ts'
import { holdersOf } from '../../booking/named-slots.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import {
  defineOperation,
  type Operation,
  type OperationAnswer,
  type OperationInput,
  type OperationRequest,
} from '../../core/operation.ts'
import { timeOf } from '../../fhir/dates.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import { actorsOf, positionOf } from '../../scheduling/waitlist.ts'
import { keptText } from '../../spoken/spoken.ts'
import { recordCall } from '../record/call-record.ts'
import { rememberVisit } from '../record/written-by-call.ts'
import { keysFor, unknownKey, valueOfKey } from '../session/call-keys.ts'
import { callerFor, verifiedCallerFor } from '../session/verification.ts'
import { askedActors, askedTimes, askedType, elementOf, minutesOf, requestedPeriods } from '../visits/asked-visit.ts'
import {
  checkSameType,
  keysForTimes,
  type OfferedTime,
  offersByPhone,
  readTime,
  type TimeToBook,
  timeOfKey,
  visitAt,
} from '../visits/offered-time.ts'
import { oneOf, spokenVisit } from '../visits/visit-label.ts'

/** @param patient Patient.id @throws FhirError 404 `unknown-key`, also for another patient's appointment */
async function ownAppointment(
  ctx: Context,
  call: CallSession,
  patient: string,
  key: unknown,
): Promise<Versioned<Appointment>> {
  const id = await valueOfKey(ctx, call, 'appointment', String(key))
  const found = id === undefined ? undefined : await ctx.find<Appointment>('Appointment', id)
  if (found === undefined || !isOf(found.resource, patient, ctx)) throw unknownKey('appointment', 'appointmentKey')
  return found
}

const isOf = (appointment: Appointment, patient: string, { baseUrl }: Context): boolean =>
  actorsOf(appointment, baseUrl).includes(`Patient/${patient}`)

/** Most characters of a reason. */
const MAX_LENGTH = 1000

/** The caller's reason for coming, or for not coming, in their own words; undefined if nothing was said. */
const keptReason = (said: unknown): string | undefined => keptText(said, MAX_LENGTH)

/** By `Issue.reason`; docs/tools/book-appointment.md */
const SENTENCES: Readonly<Record<string, string>> = {
  'slot-unavailable': 'I am sorry, that time has just been taken. Shall I look for another one?',
  'past-time': 'I am sorry, that time has passed. Shall I look for a later one?',
  'minimum-notice': 'I am sorry, that is too soon for us. Shall I look for a later time?',
  'booking-horizon': 'I am sorry, we do not book that far ahead yet. Shall I look for an earlier time?',
  'too-many-open-appointments':
    'I am sorry, you have as many appointments as we book for one person. Would you like to cancel one first?',
  'cancellation-window':
    'I am sorry, it is too late to cancel or move that appointment. Would you like to speak with a person at the clinic?',
  'not-movable': 'I am sorry, that appointment cannot be moved any more.',
  'illegal-status-move': 'I am sorry, that appointment cannot be changed any more.',
}

/** Reasons that mean the same to the caller as another one. */
const SAME: Readonly<Record<string, string>> = { 'slot-not-found': 'slot-unavailable' }

/** Runs `work`, and adds a sentence to speak to a failure of the booking rules. */
async function spokenRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    const reason = SAME[error.code] ?? error.code
    const text = SENTENCES[reason]
    const [first, ...others] = error.issues
    if (first === undefined || first.text !== undefined || text === undefined) throw error
    throw new FhirError(error.status, [{ ...first, reason, text }, ...others], error.headers)
  }
}

interface InCall extends OperationRequest {
  readonly call: CallSession
}

/**
 * An operation within one change, which requires a live call: the tools for visits by phone use its keys, which staff do
 * not have. A request that is no tool call is refused with 400 `live-calls-only`.
 */
const defineInCall = (name: string, work: (ctx: Context, request: InCall) => Promise<OperationAnswer>): Operation =>
  defineOperation(name, async (request) => {
    const { call } = request
    if (call !== undefined)
      return await spokenRefusals(() => request.access.change((ctx) => work(ctx, { ...request, call })))
    throw badRequest(
      'The operation is for live calls, whose keys it takes; over FHIR search Appointments, and write them by POST and PUT',
      { reason: 'live-calls-only' },
    )
  })

/** book_appointment: books a time offered by find_available_slots, for the verified patient or the call's new one. */
export const bookAppointment = defineInCall('appointment-book-appointment', async (ctx, request) => {
  const { call } = request
  const patient = await callerFor(ctx, request)
  const offered = await timeOfKey(ctx, call, request.input.slotKey)
  const time = await readTime(ctx, offered)
  const earlier = await bookedAlready(ctx, time, patient.id)
  const booked = earlier ?? (await bookNow(ctx, request.input, { call, patient, offered, time }))
  const [appointmentKey = ''] = await keysFor(ctx, call, 'appointment', [booked.id ?? ''])
  const { start, label } = await spokenVisit(ctx, booked.start ?? offered.start, time.schedule.actor)
  return {
    success: true,
    appointmentKey,
    start,
    label,
    ...(earlier === undefined ? {} : { code: 'already-booked' }),
    say: `You are booked for ${label}.`,
  }
})

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

/** Includes appointments that are requested but not settled. */
const STATUSES: readonly Appointment['status'][] = ['proposed', 'pending', 'booked', 'arrived', 'checked-in']
/** The next ones; more would be too long to listen to. */
const MOST = 20

/** list_appointments: the verified patient's upcoming appointments, with keys to move or cancel them. */
export const listAppointments = defineInCall('appointment-list-appointments', async (ctx, request) => {
  const { call } = request
  const patient = await verifiedCallerFor(ctx, request)
  const appointments = await upcoming(ctx, call, patient.id)
  const offers = await offersFor(ctx, call, patient.id)
  return {
    success: true,
    appointments,
    ...(offers.length === 0 ? {} : { waitlistOffers: offers }),
    say: [...sayOffers(offers.map(({ label }) => label)), sayAll(appointments)].join(' '),
  }
})

async function upcoming(ctx: Context, call: CallSession, patient: string) {
  const query = new URLSearchParams({
    patient: `Patient/${patient}`,
    status: STATUSES.join(),
    date: `ge${new Date(ctx.now).toISOString()}`,
    _sort: 'date',
    _count: String(MOST),
  })
  const found = await ctx.search<Appointment>('Appointment', query.toString())
  const keys = await keysFor(
    ctx,
    call,
    'appointment',
    found.map(({ id }) => id),
  )
  return await Promise.all(
    found.map(async ({ resource: { start = '', status, participant } }, index) => ({
      appointmentKey: keys[index],
      ...(await spokenVisit(
        ctx,
        start,
        participant.flatMap(({ actor }) => actor ?? []),
      )),
      status,
    })),
  )
}

async function offersFor(ctx: Context, call: CallSession, patient: string) {
  const offers = await offersByPhone(ctx, patient)
  const keys = await keysForTimes(
    ctx,
    call,
    offers.map(({ time }) => time),
  )
  return await Promise.all(
    offers.map(async ({ time, schedule }, index) => ({
      slotKey: keys[index],
      ...(await spokenVisit(ctx, time.start, schedule.actor)),
    })),
  )
}

const sayOffers = (labels: readonly string[]): readonly string[] =>
  labels.length === 0 ? [] : [`A time that you are waiting for has become free: ${oneOf(labels)}.`]

function sayAll(appointments: readonly { readonly label: string; readonly status?: string | undefined }[]): string {
  const labels = appointments.map(({ label, status }) =>
    SETTLED.has(status ?? '') ? label : `${label}, not confirmed yet`,
  )
  if (labels.length === 0) return 'You have no appointment that is yet to come.'
  return labels.length === 1
    ? `You have an appointment on ${labels[0]}.`
    : `You have appointments on ${labels.join('; ')}.`
}

const SETTLED: ReadonlySet<string> = new Set(['booked', 'arrived', 'checked-in'])

/** reschedule_appointment: moves an appointment to a time offered by find_available_slots. */
export const rescheduleAppointment = defineInCall('appointment-reschedule-appointment', async (ctx, request) => {
  const { call } = request
  const { appointmentKey, slotKey } = request.input
  const patient = await verifiedCallerFor(ctx, request)
  const before = await ownAppointment(ctx, call, patient.id, appointmentKey)
  const offered = await timeOfKey(ctx, call, slotKey)
  const time = await readTime(ctx, offered)
  checkSameType(before.resource, time)
  const slots = offered.slots.map((id) => ({ reference: `Slot/${id}` }))
  const moved = await reschedule(ctx, before.id, { slots })
  const written = moved.version === before.version ? [] : [moved]
  await recordCall(ctx, call, patient, { activity: rescheduleAppointment.code, written })
  const { start, label } = await spokenVisit(ctx, moved.resource.start ?? offered.start, time.schedule.actor)
  return { success: true, appointmentKey, start, label, say: `Your appointment is now on ${label}.` }
})

/** cancel_appointment: the time of the appointment is free in the same change. */
export const cancelAppointment = defineInCall('appointment-cancel-appointment', async (ctx, request) => {
  const { call } = request
  const patient = await verifiedCallerFor(ctx, request)
  const before = await ownAppointment(ctx, call, patient.id, request.input.appointmentKey)
  const reason = byPatient(keptReason(request.input.reason))
  const cancelled = await cancel(ctx, before.id, { reason })
  const { status, start, participant } = cancelled.resource
  const written = cancelled.version === before.version ? [] : [cancelled]
  await recordCall(ctx, call, patient, { activity: cancelAppointment.code, written })
  const actors = participant.flatMap(({ actor }) => actor ?? [])
  const what = start === undefined ? '' : ` on ${(await spokenVisit(ctx, start, actors)).label}`
  return { success: true, status, say: `Your appointment${what} is cancelled.` }
})

/** https://terminology.hl7.org/CodeSystem-appointment-cancellation-reason.html */
const byPatient = (text: string | undefined): CodeableConcept => ({
  coding: [
    {
      system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
      code: 'pat',
      display: 'Patient',
    },
  ],
  ...(text === undefined ? {} : { text }),
})

/** Characters. */
const MAX_COMMENT_LENGTH = 300

/** join_waitlist: a waitlist entry for the verified patient or for the call's new one. docs/waitlist.md */
export const joinWaitlist = defineInCall('appointment-join-waitlist', async (ctx, request) => {
  const { call } = request
  const patient = await callerFor(ctx, request)
  const wanted = await entryFor(ctx, call, patient.id, request.input)
  const waiting = await ctx.search<Appointment>('Appointment', 'status=waitlist&_count=1000')
  const earlier = waiting.find(({ resource }) => isOf(resource, patient.id, ctx) && asksForSame(resource, wanted))
  const entry = earlier ?? (await ctx.create<Appointment>({ ...wanted, created: new Date(ctx.now).toISOString() }))
  if (earlier === undefined) {
    await rememberVisit(ctx, call, patient, entry)
    await recordCall(ctx, call, patient, { activity: joinWaitlist.code, written: [entry] })
  }
  const position = positionOf(entry, waiting, ctx)
  return {
    success: true,
    position,
    ...(earlier === undefined ? {} : { code: 'already-waiting' }),
    say: `You are on the waitlist, at place ${position}. We will let you know when a time becomes free.`,
  }
})

async function entryFor(
  ctx: Context,
  call: CallSession,
  patient: string,
  { when, appointmentType, practitionerName }: OperationInput,
): Promise<Appointment> {
  const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
  const windows = await askedTimes(ctx, when)
  const type = await askedType(ctx, call, appointmentType)
  const { practitioner } = await askedActors(ctx, { practitionerName })
  const minutes = type && minutesOf(type)
  const comment = keptText(when, MAX_COMMENT_LENGTH)
  return {
    resourceType: 'Appointment',
    status: 'waitlist',
    ...(type === undefined ? {} : elementOf(type)),
    ...(minutes === undefined ? {} : { minutesDuration: minutes }),
    ...(windows === undefined ? {} : { requestedPeriod: requestedPeriods(windows, timeZone) }),
    ...(comment === undefined ? {} : { comment }),
    participant: [
      { actor: { reference: `Patient/${patient}` }, status: 'accepted' },
      ...(practitioner === undefined
        ? []
        : [
            {
              actor: {
                ...(practitioner.address === '' ? {} : { reference: practitioner.address }),
                display: practitioner.name,
              },
              status: 'needs-action' as const,
            },
          ]),
    ],
  }
}

/** True if the entry has the same wishes; it then keeps its place. */
const asksForSame = (entry: Appointment, wanted: Appointment): boolean =>
  isDeepStrictEqual(wishesOf(entry), wishesOf(wanted))

const wishesOf = ({ appointmentType, serviceType, requestedPeriod, participant }: Appointment) =>
  JSON.parse(JSON.stringify({ appointmentType, serviceType, requestedPeriod, participant }))
