/**
 * Notifications by e-mail, through the messaging service of the clinic: that there is news, and with the payload text the topic and
 * a link. An e-mail holds no clinical data. https://hl7.org/fhir/R4/subscription.html#2.46.7.3
 */
import type { Delivery, TellExchange } from '../core/ports.ts'
import type { NumberedEvent } from './log.ts'
import { type Sending, toldIn } from './sending.ts'
import { topicAt } from './topics.ts'

/** One e-mail for all events that wait. */
export async function sendEmail(
  sending: Sending,
  events: readonly NumberedEvent[],
  tell: TellExchange,
): Promise<Delivery> {
  const { id, state, settings, messages, reader } = sending
  const last = events.at(-1)?.number
  if (last === undefined) return { delivered: true }
  if (!settings.messages?.enabled) return SWITCHED_OFF
  const message = {
    clinic: reader.clinic,
    event: 'message.requested',
    messageId: `${id}.${last}`,
    channel: 'email',
    to: (state.channel.endpoint ?? '').slice('mailto:'.length),
    ...contentOf(sending, events),
  } as const
  return await messages.deliver(settings.messages, message, toldIn(sending, tell))
}

const SWITCHED_OFF = {
  delivered: false,
  retry: true,
  reason: 'the messaging service of the clinic is switched off',
} as const

function contentOf({ id, state, reader }: Sending, { length, ...events }: readonly NumberedEvent[]) {
  const count = `${length} new ${length === 1 ? 'event' : 'events'}`
  if (state.channel.payload === undefined) return { text: `A subscription has ${count}.` }
  const topic = state.kind === 'backport' ? topicAt(state.criteria)?.title : undefined
  const since = events[0]?.number ?? state.last
  const link = `${reader.baseUrl}/Subscription/${id}/$events?eventsSinceNumber=${since}`
  return { text: `${topic ?? 'Your subscription'}: ${count}.`, link }
}
