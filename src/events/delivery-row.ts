/** The outbox row of a Subscription: there is one while it has events to deliver, for a channel that the outbox serves. */
import type { Context } from '../core/context.ts'
import {
  type Notice,
  newestAttempts,
  OUTBOX,
  readRow,
  subscriptionKey,
  subscriptionRow,
  TRY_FOR,
} from '../integrations/outbox/rows.ts'
import { readState, SUBSCRIPTION, type SubscriptionState } from './state.ts'

/** Stages the row, unless there is one: an attempt that finds nothing more to deliver takes it away, in conflict with this change. */
export async function stageDelivery(ctx: Context, id: string, state: SubscriptionState): Promise<void> {
  if (state.channel.type === 'websocket') return
  if ((await readRow(ctx.unit, subscriptionKey(id))) !== undefined) return
  const row = subscriptionRow(ctx, { id, receiver: receiverOf(state), delivered: state.delivered })
  ctx.unit.records.put(OUTBOX, subscriptionKey(id), row, { due: ctx.now })
}

/** The number of the newest event that was delivered or left out. */
export async function deliveredOf({ unit }: Context, id: string, state: SubscriptionState): Promise<number> {
  return (await readRow(unit, subscriptionKey(id)))?.value.subscription?.delivered ?? state.delivered
}

/** Stages the end of the outbox row; its progress goes into the state. */
export async function takeDeliveryBack(ctx: Context, id: string): Promise<void> {
  const row = await readRow(ctx.unit, subscriptionKey(id))
  const record = await readState(ctx.unit, id)
  if (row?.value.subscription === undefined || record === undefined) return
  ctx.unit.records.delete(OUTBOX, row.key)
  const delivered = Math.max(record.value.delivered, row.value.subscription.delivered)
  const attempts = newestAttempts(record.value.attempts, row.value.attempts)
  ctx.unit.records.put(SUBSCRIPTION, id, { ...record.value, delivered, attempts }, { due: record.due })
}

/** Stages a notification without events. A handshake begins the tries anew; a heartbeat is not needed where a row is under way. */
export async function stageNotice(ctx: Context, id: string, state: SubscriptionState, notice: Notice): Promise<void> {
  const found = (await readRow(ctx.unit, subscriptionKey(id)))?.value
  if (found !== undefined && notice === 'heartbeat') return
  const { delivered = state.delivered } = found?.subscription ?? {}
  const subscription = { id, receiver: receiverOf(state), delivered, notice }
  const { attempts, ...row } = subscriptionRow(ctx, subscription)
  const kept = found?.attempts ?? attempts
  const value = { ...row, tryUntil: ctx.now + TRY_FOR, ...(kept === undefined ? {} : { attempts: kept }) }
  ctx.unit.records.put(OUTBOX, subscriptionKey(id), value, { due: ctx.now })
}

/** The receiver, as the outbox tells one from another: a slow one takes no place of others. */
export const receiverOf = ({ channel: { type, endpoint = '' } }: SubscriptionState): string =>
  type === 'email' || !URL.canParse(endpoint) ? type : new URL(endpoint).host
