/** schedule_callback: a Task for staff to call at the requested time. docs/abandonment.md */
import type { Patient } from 'fhir/r4'
import { DateTime } from 'luxon'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { readBack, sayTime } from '../../spoken/say.ts'
import { localeOf, readAll, readAsText, readStated } from '../../spoken/stated-values.ts'
import { recordCall } from '../record/call-record.ts'
import { contactWindow, firstOpen, hasOptedOut } from '../record/contact-consent.ts'
import { attachedText, upsertStaffTask } from '../record/staff-task.ts'
import { openAbandonmentOf, refusal, requireItsPerson } from '../recovery/abandonment-of.ts'
import { askedTimes, requestedPeriods } from '../visits/asked-times.ts'

export const scheduleCallback = defineOperation('task-schedule-callback', (request) =>
  request.access.change(async (ctx) => {
    const locale = localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now)
    const readPhone = (value: unknown) => readStated('phone', value, locale)
    const readers = { when: readAsText, phone: readPhone }
    const { when, phone: stated } = readAll(readers, request.input, { optional: ['phone'] })
    const abandonment = await openAbandonmentOf(ctx, request)
    await requireItsPerson(ctx, request, abandonment)
    const { task, patient: id, contact } = abandonment
    const phone = stated ?? contact.phone ?? request.call?.callerNumber
    if (phone === undefined)
      throw refusal('no-contact', 'No number is known to call back; send phone', 'Which number may we call?')
    if (await hasOptedOut(ctx.unit, 'phone', { point: phone, patient: id }))
      throw refusal(
        'opted-out',
        'The person has opted out of calls; only staff can end that',
        'You asked us not to call you, so we will not.',
      )
    const time = await callbackTime(ctx, id, when)
    const callbackAt = time.toISO({ suppressMilliseconds: true }) ?? ''
    const label = sayTime(time, DateTime.fromMillis(ctx.now, { zone: time.zone }))
    const patient = await ctx.read<Patient>('Patient', id)
    const callback = await upsertStaffTask(ctx, request.call, patient, {
      id: derivedId('callback', task.id),
      code: 'callback',
      priority: 'routine',
      description: `Call back at ${label}`,
      due: callbackAt,
      input: attachedText('callback-phone', phone),
    })
    await recordCall(ctx, request.call, patient, { activity: scheduleCallback.code, written: [callback] })
    return {
      success: true,
      callbackAt,
      label,
      say: `We will call you back on ${label}.`,
      ...readBack(request.call, { phone: stated }),
    }
  }),
)

/** The first requested moment at which the person may be called, in the clinic's zone. */
async function callbackTime(ctx: Context, patient: string, when: string): Promise<DateTime> {
  const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
  const window = await contactWindow(ctx, patient)
  const periods = requestedPeriods((await askedTimes(ctx, when)) ?? [], timeZone)
  for (const { start = '', end } of periods) {
    const open = firstOpen(window, Math.max(Date.parse(start), ctx.now))
    if (end === undefined || open < Date.parse(end)) return DateTime.fromMillis(open, { zone: timeZone })
  }
  throw refusal(
    'outside-contact-hours',
    'when: the clinic calls nobody at that time; see recovery.contactFrom and contactUntil',
    'We do not call at that time of day. Which other time suits you?',
  )
}
