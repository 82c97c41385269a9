/**
 * Deliveries: an attempt of the outbox sends the next events of a Subscription in their order, and records how far it came. So they
 * arrive in order, each once at least. The rest is as for all that the outbox sends: retries, waits, and when it gives up.
 */
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { readSettings } from '../clinics/settings.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import type { Delivery, TellExchange } from '../core/ports.ts'
import { instantOf } from '../fhir/dates.ts'
import type { Leased } from '../integrations/due-work.ts'
import {
  type Attempt,
  MAX_TRIES,
  type Notice,
  newestAttempts,
  OUTBOX,
  readRow,
  type SubscriptionRow,
  subscriptionKey,
  TRY_FOR,
  waitAfter,
  withAttempt,
} from '../integrations/outbox/rows.ts'
import { unpaid } from '../isolation/budget.ts'
import type { Repository } from '../repository/repository.ts'
import { eventsAfter, type NumberedEvent, trimDelivered } from './log.ts'
import { agentOf } from './owner.ts'
import { payloadOf } from './payload.ts'
import { sendRestHook } from './rest-hook.ts'
import { sendEmail } from './send-email.ts'
import { sendToTopic } from './send-topic.ts'
import { outboundOf, readableBy, type Sending, type SendingServices } from './sending.ts'
import { changeStatus, isListening, nextDue, readState, type StateRecord, SUBSCRIPTION } from './state.ts'

export interface DeliveryServices extends SendingServices {
  readonly repository: Repository
  readonly access: AccessOf
}

/** Events of one attempt at most, and milliseconds after which it begins no further one: its lease ends later. */
const MOST_EVENTS = 10
const MOST_TIME = 10_000
/** Events that one e-mail tells of at most. */
const MOST_IN_EMAIL = 1_000
/** Milliseconds after which a Subscription of a clinic whose sandbox is off is looked at again. */
const OFF_FOR = 10_000

/** How an attempt ended. */
interface Attempted {
  /** SubscriptionState.requestedAt of the Subscription that it was made for. */
  readonly requestedAt: number
  /** The number of the newest event that was delivered or left out. */
  readonly delivered: number
  readonly outcome: Delivery | 'gone'
  readonly attempt: Attempt
}

type Outcome = Delivery | { readonly heldUntil: number }

/** An attempt, for the outbox. */
export const notifier =
  (services: DeliveryServices) =>
  async (access: ClinicAccess, row: Leased<SubscriptionRow>): Promise<Outcome> => {
    const ctx = await access.reader()
    if (!(await isSandboxEnabled(services.repository, access.clinic))) return await hold(access, row, ctx.now + OFF_FOR)
    const record = await readState(ctx.unit, row.value.subscription.id)
    if (record === undefined || !isListening(record.value)) return await takeAway(access, row)
    const { requestedAt } = record.value
    const attempted = { requestedAt, ...(await attempt(services, ctx, record, row.value)) }
    await access.change((change) => settle(change, row, attempted))
    return attempted.outcome === 'gone' ? { delivered: false, retry: false, reason: GONE } : attempted.outcome
  }

const GONE = 'the receiver responded with 410: it wants no more notifications'

const hold = (access: ClinicAccess, row: Leased<SubscriptionRow>, until: number): Promise<Outcome> =>
  access.change(async (ctx) => {
    const current = await leased(ctx, row)
    if (current !== undefined) putRow(ctx, { ...current, tries: current.tries - 1 }, until)
    return { heldUntil: until }
  })

const takeAway = (access: ClinicAccess, row: Leased<SubscriptionRow>): Promise<Outcome> =>
  access.change(async (ctx) => {
    if ((await leased(ctx, row)) !== undefined) ctx.unit.records.delete(OUTBOX, keyOf(row.value))
    return { delivered: false, retry: false, reason: 'the Subscription is off' }
  })

const keyOf = ({ subscription }: SubscriptionRow): string => subscriptionKey(subscription.id)

const putRow = ({ unit: { records } }: Context, row: SubscriptionRow, due: number | null): void =>
  records.put(OUTBOX, keyOf(row), row, { due })

/** The row as it is, while the lease of the attempt lasts. */
async function leased(ctx: Context, { value, version }: Leased<SubscriptionRow>): Promise<SubscriptionRow | undefined> {
  const row = await readRow(ctx.unit, keyOf(value))
  return row?.version === version ? value : undefined
}

async function attempt(
  services: DeliveryServices,
  ctx: Context,
  { key: id, value: state }: StateRecord,
  { subscription: { delivered, notice: asked } }: SubscriptionRow,
): Promise<Omit<Attempted, 'requestedAt'>> {
  const limit = state.channel.backport?.maxCount ?? (state.channel.type === 'email' ? MOST_IN_EMAIL : MOST_EVENTS)
  const found = await eventsAfter(ctx.unit, id, delivered, limit)
  // Events are a sign of life too.
  const notice = asked === 'heartbeat' && found.length > 0 ? undefined : asked
  const events = notice === undefined ? found : []
  const exchanges: string[] = []
  const attemptAt = (to = delivered): Attempt => ({
    at: ctx.now,
    ...(notice === undefined ? { events: { from: delivered + 1, to } } : { notice }),
  })
  const owner = await agentOf(ctx, state.owner)
  const last = events.at(-1)?.number
  if (owner === undefined)
    return { delivered, outcome: OWNER_GONE, attempt: { ...attemptAt(last), reason: OWNER_GONE.reason } }
  const reader = await services.access(ctx.clinic, owner).reader()
  const sending = { ...services, settings: await readSettings(ctx.unit, ctx.clinic), reader, id, state }
  const { upTo, ...sent } = await sendNext(sending, { events, notice, before: delivered }, (exchange) =>
    exchanges.push(exchange),
  )
  const reason = sent.outcome === 'gone' ? GONE : sent.outcome.delivered ? undefined : sent.outcome.reason
  return {
    ...sent,
    attempt: {
      ...attemptAt(upTo ?? last),
      ...(reason === undefined ? {} : { reason }),
      ...(exchanges.length === 0 ? {} : { exchanges }),
    },
  }
}

interface Next {
  readonly events: readonly NumberedEvent[]
  readonly notice: Notice | undefined
  /** The number of the newest event that was delivered before. */
  readonly before: number
}

interface Sent extends Pick<Attempted, 'delivered' | 'outcome'> {
  /** The number of the newest event that it was to tell of, where that is not the last one. */
  readonly upTo?: number | undefined
}

async function sendNext(sending: Sending, { events, notice, before }: Next, tell: TellExchange): Promise<Sent> {
  const { channel } = sending.state
  const { backport } = channel
  if (channel.type === 'rest-hook' && backport === undefined) return await sendInOrder(sending, events, before, tell)
  const { outcome, upTo = events.at(-1)?.number } = await unpaid(
    async () =>
      channel.type === 'email' || backport === undefined
        ? { outcome: await sendEmail(sending, events, tell), upTo: undefined }
        : await sendToTopic({ ...sending, backport }, notice ?? 'event-notification', events, tell),
    events[0]?.trace,
  )
  const isDelivered = outcome !== 'gone' && outcome.delivered
  return { delivered: isDelivered ? (upTo ?? before) : before, outcome, upTo }
}

const OWNER_GONE = {
  delivered: false,
  retry: false,
  reason: 'the account of its owner is gone, disabled or of another clinic',
} as const

async function sendInOrder(
  sending: Sending,
  events: readonly NumberedEvent[],
  before: number,
  tell: TellExchange,
): Promise<Pick<Attempted, 'delivered' | 'outcome'>> {
  const began = performance.now()
  let delivered = before
  for (const event of events) {
    if (performance.now() - began > MOST_TIME) break
    const outcome = await unpaid(() => send(sending, event, tell), event.trace)
    if (outcome === 'gone' || !outcome.delivered) return { delivered, outcome }
    delivered = event.number
  }
  return { delivered, outcome: { delivered: true } }
}

/** An event that the owner may not read counts as delivered. */
async function send(sending: Sending, event: NumberedEvent, tell: TellExchange): Promise<Delivery | 'gone'> {
  const { settings, id, state } = sending
  const resource = await readableBy(sending, event)
  if (resource === undefined) return { delivered: true }
  const { channel } = state
  const body = channel.payload === undefined ? '' : await payloadOf(sending.reader, resource, channel.payload)
  const messageId = `${id}.${event.number}`
  const { eventSecret: secret } = settings
  return await sendRestHook({ messageId, channel, focus: event.focus, body, secret }, outboundOf(sending, tell))
}

/** Records how an attempt ended; does nothing when its lease had run out and another process took the row over. */
async function settle(
  ctx: Context,
  row: Leased<SubscriptionRow>,
  { requestedAt, delivered, outcome, attempt }: Attempted,
): Promise<void> {
  const current = await leased(ctx, row)
  const record = await readState(ctx.unit, row.value.subscription.id)
  if (current === undefined || record === undefined) return
  const before = current.subscription.delivered
  trimDelivered(ctx.unit, record.key, before, delivered)
  const isOn = delivered > before
  const { notice, ...subscription } = current.subscription
  const isNoticed = outcome === 'gone' || outcome.delivered
  const progress = { ...subscription, delivered, ...(isNoticed || notice === undefined ? {} : { notice }) }
  const fresh = isOn ? { tries: 1, tryUntil: ctx.now + TRY_FOR } : {}
  const tried = withAttempt({ ...current, ...fresh, subscription: progress }, attempt)
  // Requested anew meanwhile, perhaps for another receiver, of which the attempt tells nothing: the activation goes on from here.
  if (record.value.status === 'requested' && record.value.requestedAt !== requestedAt) return putRow(ctx, tried, null)
  if (outcome === 'gone') await end(ctx, record, tried)
  else if (outcome.delivered) await goOn(ctx, record, tried, notice)
  else await settleFailure(ctx, record, tried, outcome)
}

/** Its further events are due at once; without any the row goes, and its progress stays in the state. */
async function goOn(
  ctx: Context,
  record: StateRecord,
  row: SubscriptionRow,
  notice: Notice | undefined,
): Promise<void> {
  if (record.value.status === 'error' || notice === 'handshake') await changeStatus(ctx, record, 'active')
  const { reason: _reason, ...rest } = row
  if (record.value.last > row.subscription.delivered) putRow(ctx, { ...rest, tries: 0 } as SubscriptionRow, ctx.now)
  else await keepProgress(ctx, record.key, row)
}

/** The change of the state is what a dispatcher conflicts with that has an event more and sees the row. */
async function keepProgress(ctx: Context, id: string, row: SubscriptionRow): Promise<void> {
  const record = await readState(ctx.unit, id)
  if (record === undefined) return
  const { delivered } = row.subscription
  const attempts = newestAttempts(record.value.attempts, row.attempts)
  const value = { ...record.value, delivered, attempts, notifiedAt: ctx.now }
  ctx.unit.records.put(SUBSCRIPTION, id, value, {
    due: value.status === 'requested' ? record.due : nextDue(value, ctx),
  })
  ctx.unit.records.delete(OUTBOX, keyOf(row))
}

async function end(ctx: Context, record: StateRecord, row: SubscriptionRow): Promise<void> {
  await changeStatus(ctx, record, 'off', `${capitalized(GONE)} (${instantOf(ctx.now)})`)
  await keepProgress(ctx, record.key, row)
}

async function settleFailure(
  ctx: Context,
  record: StateRecord,
  row: SubscriptionRow,
  { retry, reason, retryAfterMs }: Delivery & { readonly delivered: false },
): Promise<void> {
  const { tries, tryUntil = Number.POSITIVE_INFINITY } = row
  if (retry && tries < MAX_TRIES && ctx.now < tryUntil) {
    putRow(ctx, { ...row, reason }, ctx.now + waitAfter(tries, retryAfterMs))
    if (row.subscription.notice === 'handshake' && record.value.status === 'requested')
      await changeStatus(
        ctx,
        record,
        'error',
        `${capitalized(reason)}, at the handshake of ${instantOf(ctx.now)}; it is tried again`,
      )
    return
  }
  putRow(ctx, { ...row, state: 'dead', reason }, null)
  // Staff may take the row off the list.
  const value = { ...record.value, delivered: row.subscription.delivered }
  await changeStatus(ctx, { ...record, value }, 'error', `${capitalized(reason)}; given up at ${instantOf(ctx.now)}`)
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
