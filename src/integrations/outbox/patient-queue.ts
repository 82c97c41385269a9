/**
 * Stages deliveries, each in the change that it reports, so that both are written or neither is. The contacts of one
 * patient form a queue: each waits until those staged before it have been delivered or given up, so a CRM never has older
 * values than it was sent. Only the first of a queue is due; a contact that leaves the queue makes the next one due.
 */

import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { CrmContact, OutboundMessage } from '../../core/ports.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { LEASE, OUTBOX, type OutboxRow, type Outgoing, readRow, TRY_FOR } from './rows.ts'

interface PatientQueue {
  /** Message ids of the contacts that wait, in the order in which they were staged. */
  readonly waiting: readonly string[]
  /** Milliseconds since 1970 UTC when the newest contact that the CRM has was staged. */
  readonly delivered?: number
}

const QUEUE = recordKind<PatientQueue>('outbox-queue')

const queueOf = async (unit: UnitOfWork, patient: string): Promise<PatientQueue> =>
  (await unit.records.read(QUEUE, patient))?.value ?? { waiting: [] }

/** Puts a contact at the end. @returns whether no other one is before it */
export async function joinQueue(unit: UnitOfWork, patient: string, messageId: string): Promise<boolean> {
  const queue = await queueOf(unit, patient)
  unit.records.put(QUEUE, patient, { ...queue, waiting: [...queue.waiting, messageId] })
  return queue.waiting.length === 0
}

/**
 * Takes a contact out; the next one is due at once, where it was the first.
 * @param deliveredOf where it is out because the CRM has it: when it was staged
 */
export async function leaveQueue(
  unit: UnitOfWork,
  patient: string,
  messageId: string,
  deliveredOf?: number,
): Promise<void> {
  const queue = await queueOf(unit, patient)
  const waiting = queue.waiting.filter((one) => one !== messageId)
  const delivered = Math.max(queue.delivered ?? 0, deliveredOf ?? 0)
  unit.records.put(QUEUE, patient, { waiting, ...(delivered === 0 ? {} : { delivered }) })
  const [next] = waiting
  if (next === undefined || queue.waiting[0] !== messageId) return
  const row = await readRow(unit, next)
  if (row?.value.state === 'waiting') unit.records.put(OUTBOX, next, row.value, { due: unit.now })
}

/** Whether the CRM has a contact of the patient that was staged later. @param stagedAt milliseconds since 1970 UTC */
export const isOvertaken = async (unit: UnitOfWork, patient: string, stagedAt: number): Promise<boolean> =>
  ((await queueOf(unit, patient)).delivered ?? 0) > stagedAt

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
