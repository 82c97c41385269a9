/**
 * The state of a Subscription beside the resource: its definition as it is carried out, with the values of its headers, which the
 * resource does not show, and how far its events have been logged and delivered.
 */
import type { Subscription } from 'fhir/r4'
import type { Role } from '../clinics/accounts.ts'
import type { Context } from '../core/context.ts'
import type { Attempt } from '../integrations/outbox/rows.ts'
import { SUBSCRIBED, SUBSCRIBED_KEY, type Subscribed } from '../repository/event-feed.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { KindRecord, UnitOfWork } from '../repository/repository.ts'
import type { BackportChannel } from './backport.ts'

/** The agent that created a Subscription, or changed it last: events that it may not read are left out. */
export type Owner =
  | {
      readonly kind: 'user'
      readonly id: string
      readonly name: string
      readonly role: Role
      readonly account: boolean
    }
  | { readonly kind: 'server' }

/** The address of notifications, and their form. */
export interface Channel {
  readonly type: 'rest-hook' | 'websocket' | 'email'
  /** Absent for a websocket. */
  readonly endpoint?: string
  /** A MIME type; absent: no content is sent. */
  readonly payload?: string
  /** Lines, with their values. */
  readonly headers: readonly string[]
  /** For the backport. */
  readonly backport?: BackportChannel
}

/** The events of a Subscription: by criteria of R4, or by a topic of the R5 backport. */
export interface Definition {
  readonly kind: 'r4' | 'backport'
  /** Type and query; for the backport the canonical url of the topic. */
  readonly criteria: string
  /** For the backport. */
  readonly filters?: readonly string[]
  /** The types of resources whose changes may be events. */
  readonly types: readonly string[]
  readonly channel: Channel
  /** Milliseconds since 1970 UTC, by the clock of the clinic. */
  readonly end?: number
}

export interface SubscriptionState extends Definition {
  readonly owner: Owner
  /** As in the resource; `deleted`: only its log is left, and goes. */
  readonly status: 'requested' | 'active' | 'error' | 'off' | 'deleted'
  /** Milliseconds since 1970 UTC, by the clock of the machine. */
  readonly requestedAt: number
  /** The same, of the request since which it has not been off: changes before it are no events. */
  readonly since: number
  /** The number of the newest event; the first is 1. */
  readonly last: number
  /** The number of the newest event that was delivered or left out; while its outbox row exists, that one knows better. */
  readonly delivered: number
  /** Milliseconds since 1970 UTC, by the clock of the clinic: the end of the last notification that was accepted. */
  readonly notifiedAt?: number
  /** Milliseconds since 1970 UTC, by the clock of the clinic: when old events of its log are removed next. */
  readonly sweepAt?: number
  /** The last ones, without those of its outbox row. */
  readonly attempts?: readonly Attempt[]
}

export const SUBSCRIPTION = recordKind<SubscriptionState>('subscription')

export type StateRecord = KindRecord<SubscriptionState>

export const readState = (unit: UnitOfWork, id: string): Promise<StateRecord | undefined> =>
  unit.records.read(SUBSCRIPTION, id)

/**
 * Whether events are logged: also before it is active, so that every process knows of it by then, and while the receiver is given up,
 * so that none is lost when it is tried again.
 */
export const isListening = ({ status }: Pick<SubscriptionState, 'status'>): boolean =>
  status === 'requested' || status === 'active' || status === 'error'

/**
 * Stages a state, and who listens. Every change of it, except of its progress, changes the version of the record of those who
 * listen, by which the dispatcher notices it.
 */
export async function putState(
  { unit: { records } }: Pick<Context, 'unit'>,
  id: string,
  state: SubscriptionState,
  due: number | null,
): Promise<void> {
  const before = (await records.read(SUBSCRIPTION, id))?.value
  records.put(SUBSCRIPTION, id, state, { due })
  const subscribed = (await records.read(SUBSCRIBED, SUBSCRIBED_KEY))?.value ?? { types: {}, running: 0 }
  if (before === undefined && !isListening(state)) return
  records.put(SUBSCRIBED, SUBSCRIBED_KEY, counted(counted(subscribed, before, -1), state, 1))
}

/** Stages progress alone. */
export const putProgress = (
  { records }: UnitOfWork,
  { key, value, due }: StateRecord,
  progress: Partial<Progress>,
): void => records.put(SUBSCRIPTION, key, { ...value, ...progress }, { due })

export type Progress = Pick<SubscriptionState, 'last' | 'delivered' | 'attempts' | 'notifiedAt' | 'sweepAt'>

function counted(subscribed: Subscribed, state: SubscriptionState | undefined, by: 1 | -1): Subscribed {
  if (state === undefined || !isListening(state)) return subscribed
  const types = state.types.reduce((counts, type) => changed(counts, type, by), subscribed.types)
  const statuses = changed(subscribed.statuses ?? {}, state.status, by)
  return { types, running: subscribed.running + by, statuses }
}

function changed(counts: Counts, name: string, by: 1 | -1): Counts {
  const { [name]: before = 0, ...others } = counts
  return before + by > 0 ? { ...others, [name]: before + by } : others
}

type Counts = Readonly<Record<string, number>>

/**
 * Stages another status of a Subscription, in the resource too, by the server itself.
 * @param error a sentence that says why and since when; absent: there is none
 */
export async function changeStatus(
  ctx: Context,
  { key: id, value }: Pick<StateRecord, 'key' | 'value'>,
  status: 'active' | 'error' | 'off',
  error?: string,
): Promise<void> {
  await putState(ctx, id, { ...value, status }, nextDue({ ...value, status }, ctx))
  const found = await ctx.find<Subscription>('Subscription', id)
  if (found === undefined) return
  const { error: _before, ...resource } = found.resource
  await ctx.unit.put<Subscription>({ ...resource, status, ...(error === undefined ? {} : { error }) }, 'PUT')
}

/** Milliseconds between two removals of old events from the log. */
export const SWEEP = 24 * 3_600_000

/** When the loop of Subscriptions looks at one next: see lifecycle.ts. */
export function nextDue(state: SubscriptionState, { now }: Pick<Context, 'now'>): number | null {
  const { status, end, last, sweepAt = now + SWEEP } = state
  if (status === 'requested' || status === 'deleted') return now
  const sweep = last === 0 && status === 'off' ? Number.POSITIVE_INFINITY : sweepAt
  const due = Math.min(sweep, isListening({ status }) ? (end ?? sweep) : sweep, heartbeatAt(state) ?? sweep)
  return due === Number.POSITIVE_INFINITY ? null : due
}

/** When a heartbeat is sent, by the clock of the clinic; undefined where none is. A websocket sends its own, an e-mail none. */
export function heartbeatAt({ status, channel, notifiedAt }: SubscriptionState): number | undefined {
  const period = channel.backport?.heartbeat
  if (status !== 'active' || channel.type !== 'rest-hook' || period === undefined) return undefined
  return (notifiedAt ?? 0) + period * 1000
}
