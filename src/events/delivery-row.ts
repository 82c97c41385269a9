/** The outbox row of a Subscription: there is one while it has events to deliver, for a channel that the outbox serves. */
import type { Context } from '../core/context.ts'
import { OUTBOX, readRow, subscriptionKey, subscriptionRow } from '../integrations/outbox/rows.ts'
import type { SubscriptionState } from './state.ts'

/** Stages the row, unless there is one: an attempt that finds nothing more to deliver takes it away, in conflict with this change. */
export async function stageDelivery(ctx: Context, id: string, state: SubscriptionState): Promise<void> {
  if (state.channel.type === 'websocket') return
  if ((await readRow(ctx.unit, subscriptionKey(id))) !== undefined) return
  const row = subscriptionRow(ctx, { id, receiver: receiverOf(state), delivered: state.delivered })
  ctx.unit.records.put(OUTBOX, subscriptionKey(id), row, { due: ctx.now })
}

/** The receiver, as the outbox tells one from another: a slow one takes no place of others. */
const receiverOf = ({ channel: { type, endpoint = '' } }: SubscriptionState): string =>
  type === 'email' || !URL.canParse(endpoint) ? type : new URL(endpoint).host
