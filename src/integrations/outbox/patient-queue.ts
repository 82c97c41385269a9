/**
 * The order of contacts of one patient: each waits until those staged before it have been delivered or given up, so a CRM
 * never has older values than it was sent. Only the first of a queue is due; what leaves the queue makes the next one due.
 */
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { OUTBOX, readRow } from './rows.ts'

/** Message ids of the contacts that wait, in the order in which they were staged. */
interface PatientQueue {
  readonly waiting: readonly string[]
}

const QUEUE = recordKind<PatientQueue>('outbox-queue')

const waitingFor = async (ctx: Context, patient: string): Promise<readonly string[]> =>
  (await ctx.unit.records.read(QUEUE, patient))?.value.waiting ?? []

/** Puts a contact at the end. @returns whether no other one is before it */
export async function joinQueue(ctx: Context, patient: string, messageId: string): Promise<boolean> {
  const waiting = await waitingFor(ctx, patient)
  ctx.unit.records.put(QUEUE, patient, { waiting: [...waiting, messageId] })
  return waiting.length === 0
}

/** Takes a contact out; the next one is due at once, where it was the first. */
export async function leaveQueue(ctx: Context, patient: string, messageId: string): Promise<void> {
  const waiting = await waitingFor(ctx, patient)
  if (!waiting.includes(messageId)) return
  const rest = waiting.filter((one) => one !== messageId)
  if (rest.length === 0) ctx.unit.records.delete(QUEUE, patient)
  else ctx.unit.records.put(QUEUE, patient, { waiting: rest })
  const [next] = rest
  if (next === undefined || waiting[0] !== messageId) return
  const row = await readRow(ctx, next)
  if (row?.value.state === 'waiting') ctx.unit.records.put(OUTBOX, next, row.value, { due: ctx.now })
}
