/**
 * The tools of a call about an abandonment, besides those for its fields: what is noted on its Task (the outcome of the call, the
 * reason, contact preferences), a callback, and a one-time link to resume. docs/abandonment.md
 */
import type { Patient, Task } from 'fhir/r4'
import { DateTime } from 'luxon'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationRequest } from '../../core/operation.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { newMessageId, stageMessage } from '../../integrations/outbox/rows.ts'
import { readBack, sayTime } from '../../spoken/say.ts'
import { keptText, lettersOf, type ParsedValue, unclear } from '../../spoken/spoken.ts'
import { spokenOptOut } from '../../spoken/spoken-consent.ts'
import { localeOf, readAll, readAsText, readStated } from '../../spoken/stated-values.ts'
import { firstOpening, type OpeningTime } from '../../spoken/when/window.ts'
import { type Abandonment, outputsOf, withOutput } from '../record/abandonment.ts'
import { recordCall } from '../record/call-record.ts'
import {
  CONTACT_CHANNELS,
  type ContactChannel,
  type ContactWindow,
  contactWindow,
  firstOpen,
  hasOptedOut,
  optOut,
  type Reached,
  refusesCommunication,
  statedChannel,
} from '../record/contact-consent.ts'
import { attachedText, upsertStaffTask } from '../record/staff-task.ts'
import { abandonmentOf, openAbandonmentOf, refusal, requireItsPerson } from '../recovery/abandonment-of.ts'
import { stageResumeLink } from '../recovery/resume-link.ts'
import { askedTimes, openingTimes, requestedPeriods } from '../visits/asked-visit.ts'

/** New status of the Task, by outcome; undefined: unchanged. */
export const CALL_OUTCOMES: ReadonlyMap<string, Task['status'] | undefined> = new Map([
  ['recovered', 'completed'],
  ['declined', 'cancelled'],
  ['wrong-number', 'cancelled'],
  ['link-sent', undefined],
  ['callback-scheduled', undefined],
  ['no-answer', undefined],
  ['voicemail', undefined],
  ['hung-up', undefined],
] as const)

/** Characters. */
const MAX_NOTE = 2_000
const MAX_OUTCOME = 200

/** log_call_outcome: how a recovery call ended; some outcomes close the recovery. */
export const logCallOutcome = defineOperation('task-log-call-outcome', (request) => {
  // "Call back scheduled" is callback-scheduled.
  const said = lettersOf(String(request.input.outcome))
  const known = [...CALL_OUTCOMES.keys()].find((one) => lettersOf(one) === said)
  // Any other outcome is kept for staff to read: the call is over, so no agent could correct it.
  const outcome = known ?? keptText(request.input.outcome, MAX_OUTCOME) ?? 'unknown'
  return request.access.change(async (ctx) => {
    const abandonment = await abandonmentOf(ctx, request)
    const note = keptText(request.input.note, MAX_NOTE)
    const text = note === undefined ? outcome : `${outcome}: ${note}`
    const status = abandonment.isOpen && known !== undefined ? CALL_OUTCOMES.get(known) : undefined
    await noteOutput(ctx, request, abandonment, [['call-outcome', text]], logCallOutcome.code, status)
    return {
      success: true,
      ...(known === undefined ? { code: 'outcome-unknown' } : {}),
      say: 'Thank you for your time. Goodbye.',
    }
  })
})

/** Most characters of the reason. */
const MAX_REASON = 2_000

/** record_abandon_reason: the reason for not finishing, for staff. */
export const recordAbandonReason = defineOperation('task-record-abandon-reason', (request) =>
  request.access.change(async (ctx) => {
    const { reason, detail } = request.input
    const text = [reason, detail].flatMap((said) => keptText(said, MAX_REASON) ?? []).join(': ')
    const abandonment = await abandonmentOf(ctx, request)
    await requireItsPerson(ctx, request, abandonment)
    await noteOutput(ctx, request, abandonment, [['abandon-reason', text]], recordAbandonReason.code)
    return { success: true, say: 'Thank you for telling me. I have noted that.' }
  }),
)

/** set_contact_preference: an opt-out is final for calls; only staff can end it. */
export const setContactPreference = defineOperation('task-set-contact-preference', (request) => {
  const { channel: channels, optOut: out } = readAll(PREFERENCE, request.input)
  return request.access.change(async (ctx) => {
    const abandonment = await abandonmentOf(ctx, request)
    if (out) for (const one of channels) await optOut(ctx, one, reachedBy(abandonment, one))
    const text = `${channels.join(', ')}: ${out ? 'opted out' : 'may contact'}`
    await noteOutput(ctx, request, abandonment, [['contact-preference', text]], setContactPreference.code)
    return await preferencesOf(ctx, abandonment, channels, out)
  })
})

const PREFERENCE = {
  channel: (value: unknown): ParsedValue<readonly ContactChannel[]> => {
    const named = statedChannel(value)
    const channels = CONTACT_CHANNELS.filter((one) => one === named || isAll(value))
    return channels.length > 0
      ? { ok: true, value: channels }
      : unclear(`it must be ${CONTACT_CHANNELS.join(', ')} or all`)
  },
  optOut: spokenOptOut,
}

const isAll = (channel: unknown): boolean => ['all', 'everything'].includes(lettersOf(String(channel)))

const reachedBy = ({ contact, patient }: Abandonment, channel: ContactChannel): Reached => ({
  point: channel === 'email' ? contact.email : contact.phone,
  patient,
})

async function preferencesOf(ctx: Context, abandonment: Abandonment, asked: readonly ContactChannel[], out: boolean) {
  const preferences: Partial<Record<ContactChannel, string>> = {}
  for (const one of CONTACT_CHANNELS)
    preferences[one] = (await hasOptedOut(ctx.unit, one, reachedBy(abandonment, one))) ? 'opted-out' : 'allowed'
  const isRefused = !out && asked.some((one) => preferences[one] === 'opted-out')
  if (isRefused) {
    return {
      success: false,
      code: 'opted-out',
      preferences,
      say: 'You asked us earlier not to contact you that way. Our staff can change that for you.',
    }
  }
  return {
    success: true,
    preferences,
    say: out ? 'Alright, we will not contact you that way again.' : 'Thank you, we may contact you that way.',
  }
}

/**
 * Adds outputs to the Task of an abandonment, with the Provenance of the call.
 * @param outputs code and text of each
 * @param status the new status of the Task; absent: in progress
 */
async function noteOutput(
  ctx: Context,
  { call }: OperationRequest,
  { task, patient }: Abandonment,
  outputs: readonly (readonly [code: string, text: string])[],
  activity: string,
  status?: Task['status'],
): Promise<void> {
  const noted = outputs.reduce((next, [code, text]) => withOutput(next, code, text), task.resource)
  const saved = await ctx.update<Task>({ ...noted, ...(status === undefined ? {} : { status }) })
  await recordCall(ctx, call, await ctx.read<Patient>('Patient', patient), { activity, written: [saved] })
}

/** schedule_callback: a Task for staff to call at the requested time. */
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

/**
 * The first requested moment at which the person may be called, in the clinic's zone. A caller who leaves the time of day open
 * is called while the clinic is open; one who names a minute, then.
 * @throws FhirError `outside-contact-hours`, which names the next such moment
 */
async function callbackTime(ctx: Context, patient: string, when: string): Promise<DateTime> {
  const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
  const window = await contactWindow(ctx, patient)
  const opening = await openingTimes(ctx)
  const inZone = (moment: number) => DateTime.fromMillis(moment, { zone: timeZone })
  const times = requestedPeriods((await askedTimes(ctx, when)) ?? [], timeZone).map(({ start = '', end }) => {
    const from = Math.max(Date.parse(start), ctx.now)
    const until = end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end)
    const isMinute = until - Date.parse(start) <= MINUTE
    return { open: isMinute ? firstOpen(window, from) : firstStaffed(window, opening, inZone(from)), until }
  })
  const found = times.find(({ open, until }) => open < until)
  if (found !== undefined) return inZone(found.open)
  const next = sayTime(inZone(times[0]?.open ?? firstOpen(window, ctx.now)), inZone(ctx.now))
  throw refusal(
    'outside-contact-hours',
    `when: the clinic calls nobody at that time, and next on ${next}; see recovery.contactFrom and contactUntil`,
    `We do not call at that time of day. We could call on ${next}. Which time suits you?`,
  )
}

const MINUTE = 60_000

/** Days looked at for a moment at which the clinic is open and the person may be called. */
const MOST_DAYS = 14

/** The first moment from `moment` on in the contact window and in the opening times, where the clinic has some. */
function firstStaffed(window: ContactWindow, opening: readonly OpeningTime[], moment: DateTime): number {
  let open = firstOpen(window, moment.toMillis())
  for (let days = 0; days < MOST_DAYS; days++) {
    const at = DateTime.fromMillis(open, { zone: moment.zone })
    const next = firstOpen(window, (firstOpening(opening, at) ?? at).toMillis())
    if (next === open) break
    open = next
  }
  return open
}

/** Most links for one abandonment. */
const MAX_LINKS = 5

export const LINK_CHANNELS = ['sms', 'email'] as const
type Channel = (typeof LINK_CHANNELS)[number]

/** send_resume_link: a one-time link to resume an unfinished registration or form. */
export const sendResumeLink = defineOperation('task-send-resume-link', (request) => {
  const { channel } = readAll({ channel: readChannel }, request.input)
  return request.access.change(async (ctx) => {
    const abandonment = await openAbandonmentOf(ctx, request)
    const { task, patient: id } = abandonment
    const to = await addresseeOf(ctx, abandonment, channel)
    const { name, messages } = await readSettings(ctx.unit, ctx.clinic)
    if (messages?.enabled !== true)
      throw refusal('messages-off', 'The clinic has no messaging service: see the setting messages', CANNOT)
    const { link, expiresAt } = await stageResumeLink(ctx, task.id)
    const until = new Date(expiresAt).toISOString()
    stageMessage(
      ctx,
      {
        ...messageTo(ctx, abandonment, channel, to),
        text: `${name}: continue where you left off`,
        link,
        expiresAt: until,
      },
      request.call,
    )
    const sentTo = masked(to)
    const saved = await ctx.update(
      withOutput(task.resource, 'resume-link', `${channel} to ${sentTo}, valid until ${until}`),
    )
    const patient = await ctx.read<Patient>('Patient', id)
    await recordCall(ctx, request.call, patient, { activity: sendResumeLink.code, written: [saved] })
    const how = channel === 'sms' ? 'a text message' : 'an e-mail'
    return { success: true, sentTo, expiresAt: until, say: `I am sending you ${how} with a link to continue.` }
  })
})

const CANNOT = 'Sorry, I cannot send you a message at the moment.'

function readChannel(value: unknown): ParsedValue<Channel> {
  const channel = statedChannel(value)
  return channel === 'sms' || channel === 'email' ? { ok: true, value: channel } : unclear('it must be sms or email')
}

/**
 * Only contact points that came with the abandonment: the person on the phone must not be able to redirect the link.
 */
async function addresseeOf(ctx: Context, { task, contact, consent, patient }: Abandonment, channel: Channel) {
  const to = channel === 'email' ? contact.email : contact.phone
  if (to === undefined || (channel === 'sms' && !to.startsWith('+')))
    throw refusal(
      'no-contact',
      `The abandonment came with no address for ${channel}`,
      'Sorry, I have nowhere to send that.',
    )
  if (!consent || (await refusesCommunication(ctx.unit, patient)))
    throw refusal('no-consent', 'The person has not agreed to be contacted about it', CANNOT)
  if (await hasOptedOut(ctx.unit, channel, { point: to, patient }))
    throw refusal(
      'opted-out',
      `The person has opted out of ${channel}; only staff can end that`,
      'You asked us not to send you such messages, so I will not.',
    )
  if (outputsOf(task.resource, 'resume-link').length >= MAX_LINKS)
    throw refusal(
      'too-many-links',
      `An abandonment has ${MAX_LINKS} links at most`,
      'I have sent you the link several times already.',
    )
  return to
}

const messageTo = (ctx: Context, { task, patient }: Abandonment, channel: Channel, to: string) => ({
  clinic: ctx.clinic,
  patient,
  abandonment: task.id,
  event: 'message.requested' as const,
  messageId: newMessageId(ctx.now),
  channel,
  to,
})

/** For example `j***@example.com` and `***0123`. */
const masked = (to: string): string =>
  to.includes('@') ? `${to.slice(0, 1)}***${to.slice(to.lastIndexOf('@'))}` : `***${to.slice(-4)}`
