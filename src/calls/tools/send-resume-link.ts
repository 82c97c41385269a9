/** send_resume_link: a one-time link to resume an unfinished registration or form. docs/abandonment.md */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { newMessageId, stageMessage } from '../../integrations/outbox/rows.ts'
import { type ParsedValue, unclear } from '../../spoken/spoken.ts'
import { readAll } from '../../spoken/stated-values.ts'
import { type Abandonment, outputsOf, withOutput } from '../record/abandonment.ts'
import { recordCall } from '../record/call-record.ts'
import { hasOptedOut, refusesCommunication, statedChannel } from '../record/contact-consent.ts'
import { openAbandonmentOf, refusal } from '../recovery/abandonment-of.ts'
import { stageResumeLink } from '../recovery/resume-link.ts'

/** Most links for one abandonment. */
const MAX_LINKS = 5

type Channel = 'sms' | 'email'

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
