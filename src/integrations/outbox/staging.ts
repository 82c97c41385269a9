/** A delivery is staged in the change that it reports, so that both are written or neither is. */
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { CrmContact, OutboundMessage } from '../../core/ports.ts'
import { joinQueue } from './patient-queue.ts'
import { LEASE, TRY_FOR } from './retries.ts'
import { OUTBOX, type OutboxRow, type Outgoing } from './rows.ts'

/**
 * Stages a contact for the clinic's CRM. The first try is the caller's: `deliverStaged`, once the change is committed.
 */
export async function stageContact(ctx: Context, contact: CrmContact, call?: CallSession): Promise<void> {
  const { patient, messageId } = contact
  const isFirst = await joinQueue(ctx.unit, patient, messageId)
  const due = isFirst ? ctx.now + LEASE : null
  ctx.unit.records.put(OUTBOX, messageId, newRow(ctx, { contact }, isFirst ? 1 : 0, call), { due })
}

/** Stages a message to a person, which the background sends within seconds of the commit. */
export function stageMessage(ctx: Context, message: OutboundMessage, call?: CallSession): void {
  ctx.unit.records.put(OUTBOX, message.messageId, newRow(ctx, { message }, 0, call), { due: ctx.now })
}

const newRow = (ctx: Context, outgoing: Outgoing, tries: number, call: CallSession | undefined): OutboxRow => ({
  ...outgoing,
  ...(call === undefined ? {} : { call }),
  state: 'waiting',
  tries,
  stagedAt: ctx.now,
  tryUntil: ctx.now + TRY_FOR,
})
