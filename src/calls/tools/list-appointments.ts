/** list_appointments: the verified patient's upcoming appointments, with keys to move or cancel them. */
import type { Appointment } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { keysFor } from '../session/call-keys.ts'
import { verifiedCallerFor } from '../session/verification.ts'
import { keysForTimes, offersByPhone } from '../visits/offered-time.ts'
import { requireCall } from '../visits/own-appointment.ts'
import { oneOf, spokenVisit } from '../visits/visit-label.ts'

/** Includes appointments that are requested but not settled. */
const STATUSES: readonly Appointment['status'][] = ['proposed', 'pending', 'booked', 'arrived', 'checked-in']
/** The next ones; more would be too long to listen to. */
const MOST = 20

export const listAppointments = defineOperation('appointment-list-appointments', (request) => {
  const call = requireCall(request.call)
  return request.access.change(async (ctx) => {
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
