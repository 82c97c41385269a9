/**
 * The rows of the outbox: messages for external systems, their progress, and when they are tried again. Each is staged in the
 * change that it reports, so that both are written or neither is. The contacts of one patient form a queue: each waits until
 * those staged before it have been delivered or given up, so a CRM never has older values than it was sent. Only the first of
 * a queue is due; a contact that leaves the queue makes the next one due.
 */
import { randomUUID } from 'node:crypto'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { CrmContact, OutboundMessage } from '../../core/ports.ts'
import { present } from '../../fhir/resource.ts'
import { currentBudget } from '../../isolation/budget.ts'
import type { TraceContext } from '../../isolation/trace-context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { KindRecord, UnitOfWork } from '../../repository/repository.ts'
import { LEASE } from '../due-work.ts'

export const OUTBOX = recordKind<OutboxRow>('outbox')

/**
 * A contact for the clinic's CRM, a message to a person, which goes to the clinic's messaging service, or the events of a
 * Subscription that are still to be delivered, in their order.
 */
export type Outgoing =
  | { readonly contact: CrmContact; readonly message?: undefined; readonly subscription?: undefined }
  | { readonly message: OutboundMessage; readonly contact?: undefined; readonly subscription?: undefined }
  | { readonly subscription: SubscriptionProgress; readonly contact?: undefined; readonly message?: undefined }

export interface SubscriptionProgress {
  /** Subscription.id. */
  readonly id: string
  /** The host of its endpoint, or the type of its channel. */
  readonly receiver: string
  /** The number of the newest event that was delivered or left out. */
  readonly delivered: number
  /** A notification without events that is to be sent first. */
  readonly notice?: Notice
}

export type Notice = 'handshake' | 'heartbeat'

/** A row of the events of a Subscription. */
export type SubscriptionRow = RowState & Extract<Outgoing, { subscription: SubscriptionProgress }>

export type OutboxRow = RowState & Outgoing

interface RowState {
  /** The live call that caused it, for the Task. */
  readonly call?: CallSession
  /** The span in which it was staged. */
  readonly trace?: TraceContext
  /** `sent`: a simulator has taken it, and it is only kept to be looked at (simulated.ts). */
  readonly state: 'waiting' | 'dead' | 'sent'
  /** Tries begun. */
  readonly tries: number
  /** Milliseconds since 1970 UTC; absent in rows of older versions. */
  readonly stagedAt?: number
  /** Milliseconds since 1970 UTC; of what was sent. */
  readonly sentAt?: number
  /** Milliseconds since 1970 UTC: a try that fails later is the last one. */
  readonly tryUntil?: number
  /** Task.id, once a try has failed. */
  readonly task?: string
  /** Why the last try failed; never holds patient data. */
  readonly reason?: string
  /** The last MOST_ATTEMPTS, in their order; absent in rows of older versions, and before the first. */
  readonly attempts?: readonly Attempt[]
}

/** A request to the system, or several: the first may ask for an access token. */
export interface Attempt {
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  /** Why it failed; never holds patient data. */
  readonly reason?: string
  /** The ids of its exchanges; absent where the journal of the clinic was off. */
  readonly exchanges?: readonly string[]
  /** The numbers of the events of a Subscription that it was to deliver. */
  readonly events?: { readonly from: number; readonly to: number }
  /** The notification of a Subscription without events that it was. */
  readonly notice?: Notice
}

/** All tries of a row, and some that came before it was sent again. */
const MOST_ATTEMPTS = 20

export const withAttempt = <Row extends OutboxRow>(row: Row, attempt: Attempt): Row => ({
  ...row,
  attempts: newestAttempts(row.attempts, [attempt]),
})

/** The last of two lists of attempts, the later one second. */
export const newestAttempts = (earlier: readonly Attempt[] = [], later: readonly Attempt[] = []): readonly Attempt[] =>
  [...earlier, ...later].slice(-MOST_ATTEMPTS)

export const readRow = (unit: UnitOfWork, messageId: string): Promise<KindRecord<OutboxRow> | undefined> =>
  unit.records.read(OUTBOX, messageId)

export function messageIdOf({ contact, message, subscription }: Outgoing): string {
  if (subscription !== undefined) return subscriptionKey(subscription.id)
  return (contact ?? message).messageId
}

/** The key of the row of a Subscription. */
export const subscriptionKey = (id: string): string => `subscription-${id}`

/** Patient.id of the patient it is about, where that is known. */
export const patientOf = (row: Outgoing): string | undefined => (row.contact ?? row.message)?.patient

/** Later than any time that there will be, in milliseconds. */
const END = 2 ** 48 - 1

/**
 * A message id that no other delivery has. Rows are listed by it, so a later one is smaller: the newest come first.
 * @param now milliseconds since 1970 UTC
 */
export const newMessageId = (now: number): string => `${(END - now).toString(16).padStart(12, '0')}-${randomUUID()}`

/** Tries before a row is given up: with the waits below about a day and a half. */
export const MAX_TRIES = 16
/** Milliseconds for which a row is tried, be it that it waits behind others for most of them. */
export const TRY_FOR = 48 * 3_600_000
/** Milliseconds before the second try; doubled for each later one. */
const FIRST_WAIT = 30_000
const MAX_WAIT = 6 * 3_600_000

/** Milliseconds until the next try: doubled each time, at least what the other side asks for, six hours at most. */
export const waitAfter = (tries: number, retryAfterMs = 0): number =>
  Math.min(MAX_WAIT, Math.max(FIRST_WAIT * 2 ** (tries - 1), retryAfterMs))

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

/** The row of a Subscription that has events to deliver, before its first attempt. */
export const subscriptionRow = (ctx: Context, subscription: SubscriptionProgress): SubscriptionRow =>
  newRow(ctx, { subscription }, 0, undefined)

const newRow = <Out extends Outgoing>(
  ctx: Context,
  outgoing: Out,
  tries: number,
  call: CallSession | undefined,
): Out & RowState => ({
  ...outgoing,
  ...present({ call, trace: currentBudget()?.trace }),
  state: 'waiting',
  tries,
  stagedAt: ctx.now,
  tryUntil: ctx.now + TRY_FOR,
})
