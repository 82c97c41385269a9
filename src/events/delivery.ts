/**
 * Deliveries: an attempt of the outbox sends the next events of a Subscription in their order, and records how far it came. So they
 * arrive in order, each once at least. The rest is as for all that the outbox sends: retries, waits, and when it gives up.
 */
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { type ClinicSettings, readSettings } from '../clinics/settings.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import type { Delivery, TellExchange } from '../core/ports.ts'
import { handlerOf, type Providers } from '../core/provider.ts'
import { instantOf } from '../fhir/dates.ts'
import { FhirError } from '../fhir/outcome.ts'
import type { Leased } from '../integrations/due-work.ts'
import { about, type Outbound, telling } from '../integrations/outbound-request.ts'
import {
  type Attempt,
  MAX_TRIES,
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
import type { Repository, Versioned } from '../repository/repository.ts'
import { eventsAfter, type NumberedEvent, trimDelivered } from './log.ts'
import { agentOf } from './owner.ts'
import { payloadOf } from './payload.ts'
import { sendRestHook } from './rest-hook.ts'
import { changeStatus, readState, type StateRecord, SUBSCRIPTION, type SubscriptionState } from './state.ts'

export interface DeliveryServices {
  readonly repository: Repository
  readonly access: AccessOf
  readonly providers: Providers
  readonly outbound: Outbound
  /** How much the journal keeps of clinics that have not set it. */
  readonly journal: ClinicSettings['journal']
}

/** Events of one attempt at most, and milliseconds after which it begins no further one: its lease ends later. */
const MOST_EVENTS = 10
const MOST_TIME = 10_000
/** Milliseconds after which a Subscription of a clinic whose sandbox is off is looked at again. */
const OFF_FOR = 10_000

/** How an attempt ended. */
interface Attempted {
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
    if (record === undefined || !isDelivering(record.value)) return await takeAway(access, row)
    const attempted = await attempt(services, ctx, record, row.value)
    await access.change((change) => settle(change, row, attempted))
    return attempted.outcome === 'gone' ? { delivered: false, retry: false, reason: GONE } : attempted.outcome
  }

const GONE = 'the receiver responded with 410: it wants no more notifications'

const isDelivering = ({ status }: SubscriptionState): boolean =>
  status === 'requested' || status === 'active' || status === 'error'

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
  { subscription: { delivered } }: SubscriptionRow,
): Promise<Attempted> {
  const events = await eventsAfter(ctx.unit, id, delivered, MOST_EVENTS)
  const exchanges: string[] = []
  const { number = delivered } = events.at(-1) ?? {}
  const attempt: Attempt = { at: ctx.now, events: { from: delivered + 1, to: number } }
  const owner = await agentOf(ctx, state.owner)
  if (owner === undefined) return { delivered, outcome: OWNER_GONE, attempt: { ...attempt, reason: OWNER_GONE.reason } }
  const reader = await services.access(ctx.clinic, owner).reader()
  const sending = { services, settings: await readSettings(ctx.unit, ctx.clinic), reader, id, state }
  const sent = await sendInOrder(sending, events, delivered, (exchange) => exchanges.push(exchange))
  const reason = sent.outcome === 'gone' ? GONE : sent.outcome.delivered ? undefined : sent.outcome.reason
  return {
    ...sent,
    attempt: {
      ...attempt,
      ...(reason === undefined ? {} : { reason }),
      ...(exchanges.length === 0 ? {} : { exchanges }),
    },
  }
}

const OWNER_GONE = {
  delivered: false,
  retry: false,
  reason: 'the account of its owner is gone, disabled or of another clinic',
} as const

interface Sending {
  readonly services: DeliveryServices
  readonly settings: ClinicSettings
  /** With the rights of the owner. */
  readonly reader: Context
  readonly id: string
  readonly state: SubscriptionState
}

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
  const { services, settings, reader, id, state } = sending
  const resource = await readableBy(services, reader, event)
  if (resource === undefined) return { delivered: true }
  const isJournaled = (settings.journal ?? services.journal ?? 'off') !== 'off'
  const outbound = about(telling(services.outbound, isJournaled ? tell : undefined), reader.clinic, 'subscription')
  const { channel } = state
  const body = channel.payload === undefined ? '' : await payloadOf(reader, resource, channel.payload)
  const messageId = `${id}.${event.number}`
  const { eventSecret: secret } = settings
  return await sendRestHook({ messageId, channel, focus: event.focus, body, secret }, outbound)
}

/** The version as the owner reads it; undefined where it may not, or there is none to read. */
async function readableBy(
  { providers }: DeliveryServices,
  reader: Context,
  { focus, version }: NumberedEvent,
): Promise<Versioned | undefined> {
  const [type = '', id = ''] = focus.split('/')
  try {
    return await handlerOf(providers, type, 'vread')(reader, type, id, version)
  } catch (error) {
    if (error instanceof FhirError && error.status < 500) return undefined
    throw error
  }
}

/** Records how an attempt ended; does nothing when its lease had run out and another process took the row over. */
async function settle(
  ctx: Context,
  row: Leased<SubscriptionRow>,
  { delivered, outcome, attempt }: Attempted,
): Promise<void> {
  const current = await leased(ctx, row)
  const record = await readState(ctx.unit, row.value.subscription.id)
  if (current === undefined || record === undefined) return
  const before = current.subscription.delivered
  trimDelivered(ctx.unit, record.key, before, delivered)
  const isOn = delivered > before
  const progress = { ...current.subscription, delivered }
  const fresh = isOn ? { tries: 1, tryUntil: ctx.now + TRY_FOR } : {}
  const tried = withAttempt({ ...current, ...fresh, subscription: progress }, attempt)
  if (outcome === 'gone') await end(ctx, record, tried)
  else if (outcome.delivered) await goOn(ctx, record, tried)
  else await settleFailure(ctx, record, tried, outcome)
}

/** Its further events are due at once; without any the row goes, and its progress stays in the state. */
async function goOn(ctx: Context, record: StateRecord, row: SubscriptionRow): Promise<void> {
  if (record.value.status === 'error') await changeStatus(ctx, record, 'active')
  const { reason: _reason, ...rest } = row
  if (record.value.last > row.subscription.delivered) putRow(ctx, { ...rest, tries: 0 } as SubscriptionRow, ctx.now)
  else await keepProgress(ctx, record.key, row)
}

/** The change of the state is what a dispatcher conflicts with that has an event more and sees the row. */
async function keepProgress(ctx: Context, id: string, row: SubscriptionRow): Promise<void> {
  const record = await readState(ctx.unit, id)
  if (record === undefined) return
  const { value, due } = record
  const attempts = newestAttempts(value.attempts, row.attempts)
  ctx.unit.records.put(SUBSCRIPTION, id, { ...value, delivered: row.subscription.delivered, attempts }, { due })
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
    return
  }
  putRow(ctx, { ...row, state: 'dead', reason }, null)
  // Staff may take the row off the list.
  const value = { ...record.value, delivered: row.subscription.delivered }
  await changeStatus(ctx, { ...record, value }, 'error', `${capitalized(reason)}; given up at ${instantOf(ctx.now)}`)
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
