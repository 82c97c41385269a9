/**
 * One attempt to deliver a row, and the record of its result. A row is leased (by its record's version) during an
 * attempt, so when a process dies another one takes the row over as soon as the lease ends: each is delivered at least
 * once.
 */
import { type ClinicSettings, readSettings } from '../../clinics/settings.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import type { Delivery, Integrations, TellExchange } from '../../core/ports.ts'
import { DueWork, type DueWorkServices, type Leased, lease } from '../due-work.ts'
import {
  type Attempt,
  leaveQueue,
  MAX_TRIES,
  messageIdOf,
  OUTBOX,
  type OutboxRow,
  readRow,
  type SubscriptionRow,
  waitAfter,
  withAttempt,
} from './rows.ts'
import { keepSimulated } from './simulated.ts'

/** The Tasks by which staff follow a delivery. All run in the change that records how a try ended. */
export interface DeliveryTasks {
  /**
   * Raises the row's Task, or brings it up to date.
   * @param isGivenUp there will be no further try
   * @returns Task.id; undefined where there is none to raise
   */
  readonly failed: (ctx: Context, row: OutboxRow, reason: string, isGivenUp: boolean) => Promise<string | undefined>
  /** Completes the row's Task, where it has one. */
  readonly delivered: (ctx: Context, row: OutboxRow) => Promise<void>
  /** Records why a row was not sent, and never will be. */
  readonly dropped: (ctx: Context, row: OutboxRow, reason: string) => Promise<void>
}

/** The systems of the clinic, what tells staff of failures, and who may object to a delivery. */
export interface DeliveryParts extends Pick<Integrations, 'crm' | 'messages' | 'journal'> {
  readonly tasks: DeliveryTasks
  /**
   * Called before each attempt: the reason why the row must no longer be sent, such as an opt-out since it was staged;
   * undefined where it may be sent. A row with a reason is dropped. The reason holds no patient data.
   */
  readonly objection?: ((ctx: Context, row: OutboxRow) => Promise<string | undefined>) | undefined
  /** An attempt to deliver events of a Subscription, and the record of its result; absent: none are delivered. */
  readonly notify?:
    | ((access: ClinicAccess, row: Leased<SubscriptionRow>) => Promise<Delivery | { readonly heldUntil: number }>)
    | undefined
  /** When a row may be sent, in ms since 1970 UTC, where that is not yet; it waits until then, and no try is counted. */
  readonly heldUntil?: ((ctx: Context, row: OutboxRow) => Promise<number | undefined>) | undefined
}

type Outcome = Delivery | { readonly droppedFor: string } | { readonly heldUntil: number }

const QUEUED_BEHIND_EARLIER = {
  delivered: false,
  retry: true,
  reason: 'an earlier contact of the patient is still to be delivered',
} as const satisfies Delivery

/**
 * The first try, within the connector's deadline. After a failure staff have a Task, and the row is left to the
 * background, or marked dead when it is refused for good.
 */
export async function deliverStaged(access: ClinicAccess, parts: DeliveryParts, messageId: string): Promise<Delivery> {
  const row = await readRow((await access.reader()).unit, messageId)
  if (row === undefined) return { delivered: true }
  if (row.due === null) return await leaveWaiting(access, parts, messageId)
  const outcome = await attempt(access, parts, row)
  if ('heldUntil' in outcome) return { delivered: false, retry: true, reason: 'it is held until it may be sent' }
  return 'droppedFor' in outcome ? { delivered: false, retry: false, reason: outcome.droppedFor } : outcome
}

/** Staff have a Task for a contact that could not even be tried. */
const leaveWaiting = (access: ClinicAccess, { tasks }: DeliveryParts, messageId: string): Promise<Delivery> =>
  access.change(async (ctx) => {
    const row = await readRow(ctx.unit, messageId)
    if (row === undefined) return { delivered: true }
    const { reason } = QUEUED_BEHIND_EARLIER
    const task = row.value.task ?? (await tasks.failed(ctx, row.value, reason, false))
    const value = { ...row.value, reason, ...(task === undefined ? {} : { task }) }
    ctx.unit.records.put(OUTBOX, messageId, value, { due: row.due })
    return QUEUED_BEHIND_EARLIER
  })

/** A try of the background. Undefined when another process has the row, or it is done. */
async function deliverDue(
  access: ClinicAccess,
  parts: DeliveryParts,
  messageId: string,
): Promise<{ readonly tries: number; readonly outcome: Outcome } | undefined> {
  const row = await lease(access, OUTBOX, messageId)
  if (row === undefined) return undefined
  return { tries: row.value.tries, outcome: await attempt(access, parts, row) }
}

async function attempt(access: ClinicAccess, parts: DeliveryParts, row: Leased<OutboxRow>): Promise<Outcome> {
  if (isOfSubscription(row)) return (await parts.notify?.(access, row)) ?? switchedOff('the delivery of events')
  const ctx = await access.reader()
  const exchanges: string[] = []
  const droppedFor = expired(ctx, row.value) ?? (await parts.objection?.(ctx, row.value))
  const heldUntil = droppedFor === undefined ? await parts.heldUntil?.(ctx, row.value) : undefined
  const outcome =
    droppedFor !== undefined
      ? { droppedFor }
      : heldUntil !== undefined
        ? { heldUntil }
        : await send(parts, await readSettings(ctx.unit, access.clinic), row.value, (id) => exchanges.push(id))
  await settle(access, parts.tasks, row, outcome, { at: ctx.now, ...(exchanges.length === 0 ? {} : { exchanges }) })
  return outcome
}

const isOfSubscription = (row: Leased<OutboxRow>): row is Leased<SubscriptionRow> =>
  row.value.subscription !== undefined

const expired = ({ now }: Context, { message }: OutboxRow): string | undefined =>
  message?.expiresAt !== undefined && Date.parse(message.expiresAt) <= now
    ? 'what the message offers has expired'
    : undefined

async function send(
  parts: DeliveryParts,
  settings: ClinicSettings,
  row: OutboxRow,
  tellExchange: TellExchange,
): Promise<Delivery> {
  const isJournaled = (settings.journal ?? parts.journal ?? 'off') !== 'off'
  const tell = isJournaled ? tellExchange : undefined
  if (row.message !== undefined) {
    const { messages } = settings
    return messages?.enabled
      ? await parts.messages.deliver(messages, row.message, tell)
      : switchedOff('the messaging service of the clinic')
  }
  const { crm } = settings
  return crm?.enabled && row.contact !== undefined
    ? await parts.crm.deliver(crm, row.contact, tell)
    : switchedOff('the CRM of the clinic')
}

const switchedOff = (what: string): Delivery => ({ delivered: false, retry: true, reason: `${what} is switched off` })

/** Records how a try ended; does nothing when its lease had run out and another process took the row over. */
const settle = (
  access: ClinicAccess,
  tasks: DeliveryTasks,
  { value: tried, version }: Leased<OutboxRow>,
  outcome: Outcome,
  attempt: Attempt,
): Promise<void> =>
  access.change(async (ctx) => {
    const row = await readRow(ctx.unit, messageIdOf(tried))
    if (row === undefined || row.version !== version) return
    if ('heldUntil' in outcome) {
      const value = { ...row.value, tries: row.value.tries - 1 }
      ctx.unit.records.put(OUTBOX, messageIdOf(tried), value, { due: outcome.heldUntil })
    } else if ('droppedFor' in outcome) {
      await remove(ctx, row.value, false)
      await tasks.dropped(ctx, row.value, outcome.droppedFor)
    } else if (outcome.delivered) {
      await remove(ctx, row.value, true)
      await keepSimulated(ctx, withAttempt(row.value, attempt))
      await tasks.delivered(ctx, row.value)
    } else await settleFailure(ctx, tasks, withAttempt(row.value, { ...attempt, reason: outcome.reason }), outcome)
  })

async function remove(ctx: Context, row: OutboxRow, isDelivered: boolean): Promise<void> {
  ctx.unit.records.delete(OUTBOX, messageIdOf(row))
  await makeWay(ctx, row, isDelivered)
}

/** A contact that is delivered or given up does not keep later ones of its patient waiting. */
async function makeWay(ctx: Context, { contact, stagedAt }: OutboxRow, isDelivered: boolean): Promise<void> {
  if (contact === undefined) return
  await leaveQueue(ctx.unit, contact.patient, contact.messageId, isDelivered ? stagedAt : undefined)
}

async function settleFailure(
  ctx: Context,
  tasks: DeliveryTasks,
  row: OutboxRow,
  { retry, reason, retryAfterMs }: Delivery & { delivered: false },
): Promise<void> {
  const { tries, tryUntil = Number.POSITIVE_INFINITY } = row
  const isGivenUp = !retry || tries >= MAX_TRIES || ctx.now >= tryUntil
  const task = await tasks.failed(ctx, row, reason, isGivenUp)
  const state = isGivenUp ? 'dead' : 'waiting'
  const value: OutboxRow = { ...row, state, reason, ...(task === undefined ? {} : { task }) }
  const due = isGivenUp ? null : ctx.now + waitAfter(tries, retryAfterMs)
  ctx.unit.records.put(OUTBOX, messageIdOf(row), value, { due })
  if (isGivenUp) await makeWay(ctx, row, false)
}

export interface OutboxServices extends DeliveryParts, DueWorkServices {
  readonly accessOf: (clinic: string) => ClinicAccess
}

/** The outbox, whose rows are delivered in the background. */
export class Outbox extends DueWork<OutboxRow> {
  constructor(services: OutboxServices) {
    super(services, {
      kind: OUTBOX,
      // The CRM of a clinic, its messaging service, and each receiver of its Subscriptions have slots of their own.
      systemOf: ({ message, subscription }) =>
        subscription !== undefined ? `to ${subscription.receiver}` : message === undefined ? 'crm' : 'messages',
      workOn: async ({ clinic, key: messageId }) => {
        const tried = await deliverDue(services.accessOf(clinic), services, messageId)
        if (tried === undefined) return
        const { tries, outcome } = tried
        // A Subscription may have further events.
        if ('delivered' in outcome && outcome.delivered) this.goOn({ clinic, key: messageId })
        services.logger.info({ clinic, messageId, tries, ...outcome }, 'outbox delivery')
      },
      failure: 'the outbox could not be worked on',
    })
  }
}
