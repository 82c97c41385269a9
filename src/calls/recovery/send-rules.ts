/** Rules that the outbox checks before each attempt to send a message to a person: consent, and the permitted hours. */
import type { Context } from '../../core/context.ts'
import type { OutboxRow } from '../../integrations/outbox/rows.ts'
import { findAbandonment } from '../record/abandonment.ts'
import { hasOptedOut, refusesCommunication } from '../record/contact-consent.ts'
import { contactWindow, firstOpen } from '../record/contact-window.ts'

/** The reason why the row must not be sent any more; undefined if it may be. */
export async function objectionTo(ctx: Context, { message }: OutboxRow): Promise<string | undefined> {
  if (message === undefined) return undefined
  const { channel, to, patient } = message
  if (await hasOptedOut(ctx.unit, channel, { point: to, patient })) return 'the person has opted out'
  if (patient !== undefined && (await refusesCommunication(ctx.unit, patient)))
    return 'the person does not agree to be contacted any more'
  if (message.abandonment !== undefined && (await findAbandonment(ctx.unit, message.abandonment))?.isOpen !== true)
    return 'what the message is about has been closed'
  return undefined
}

/** The time from which the row may be sent, in milliseconds since 1970 UTC; undefined: now. */
export async function heldUntil(ctx: Context, { message }: OutboxRow): Promise<number | undefined> {
  if (message === undefined) return undefined
  const opens = firstOpen(await contactWindow(ctx, message.patient), ctx.now)
  return opens > ctx.now ? opens : undefined
}
