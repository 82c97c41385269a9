/** join_waitlist: a waitlist entry for the verified patient or for the call's new one. docs/waitlist.md */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { positionOf } from '../../scheduling/waitlist.ts'
import { keptText } from '../../spoken/spoken.ts'
import { recordCall } from '../record/call-record.ts'
import { rememberVisit } from '../record/written-by-call.ts'
import { callerFor } from '../session/verification.ts'
import { askedTimes, requestedPeriods } from '../visits/asked-times.ts'
import { askedActors, askedType, elementOf, minutesOf } from '../visits/asked-visit.ts'
import { isOf, requireCall } from '../visits/own-appointment.ts'

/** Characters. */
const MAX_COMMENT_LENGTH = 300

export const joinWaitlist = defineOperation('appointment-join-waitlist', (request) => {
  const call = requireCall(request.call)
  return request.access.change(async (ctx) => {
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
