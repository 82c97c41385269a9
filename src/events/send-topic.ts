/** Notifications of Subscriptions to topics by a rest-hook: one Bundle for several events, a handshake, or a heartbeat. */
import type { Delivery, TellExchange } from '../core/ports.ts'
import { hasMarkers } from '../fhir/content/marker.ts'
import { parseJson } from '../fhir/json.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'
import type { BackportChannel } from './backport.ts'
import type { NumberedEvent } from './log.ts'
import {
  type NotificationType,
  type NotifiedEvent,
  type NotifiedVersion,
  notificationBundle,
  notificationText,
} from './notification.ts'
import { payloadOf } from './payload.ts'
import { postSigned } from './rest-hook.ts'
import { currentBy, outboundOf, type Reading, readableBy, type Sending } from './sending.ts'
import { contextOf, topicAt } from './topics.ts'

/** @param events the next ones; none for a notice */
export async function sendToTopic(
  sending: Sending & { readonly backport: BackportChannel },
  type: NotificationType,
  events: readonly NumberedEvent[],
  tell: TellExchange,
): Promise<Delivery | 'gone'> {
  const { id, state, settings, backport } = sending
  const notified = await notifiedEvents(sending, events)
  if (events.length > 0 && notified.length === 0) return { delivered: true }
  const body = bodyOf(sending, type, notified)
  const last = notified.at(-1)?.number
  const messageId = `${id}.${last ?? `${type}.${sending.reader.now}`}`
  const outbound = outboundOf(sending, tell)
  const deadlineMs = Math.min(outbound.deadlineMs, (backport.timeout ?? Number.POSITIVE_INFINITY) * 1000)
  const { endpoint = '', payload } = state.channel
  const request = { method: 'POST', url: endpoint, body, payload } as const
  return await postSigned(
    request,
    { messageId, channel: state.channel, secret: settings.eventSecret },
    { ...outbound, deadlineMs },
  )
}

function bodyOf(
  { id, state, reader, backport }: Sending & { readonly backport: BackportChannel },
  type: NotificationType,
  events: readonly NotifiedEvent[],
): string {
  const bundle = notificationBundle({
    ...{ id, state, type, events, content: backport.content, baseUrl: reader.baseUrl, now: reader.now },
    status: type === 'handshake' ? 'requested' : 'active',
    since: events.at(-1)?.number ?? state.last,
  })
  return notificationText(bundle, state.channel.payload)
}

/** The events as the reader may read them, without those whose resource it may not; with what they refer to. */
export async function notifiedEvents(
  reading: Reading,
  events: readonly NumberedEvent[],
): Promise<readonly NotifiedEvent[]> {
  const notified: NotifiedEvent[] = []
  for (const event of events) {
    const version = await readableBy(reading, event)
    if (version === undefined) continue
    const { number, at, method, focus: address } = event
    const context = await contextIn(reading, event, version.resource)
    notified.push({ number, at, method, address, resource: await wholeOf(reading, version), context })
  }
  return notified
}

async function contextIn(
  reading: Reading,
  { topic: url }: NumberedEvent,
  resource: AnyResource,
): Promise<readonly NotifiedVersion[]> {
  const topic = url === undefined ? undefined : topicAt(url)
  if (topic === undefined) return []
  const entries = await reading.reader.unit.indexEntries(resource)
  const context: NotifiedVersion[] = []
  for (const address of contextOf(topic, { entries })) {
    const found = await currentBy(reading, address)
    if (found !== undefined) context.push({ address, resource: await wholeOf(reading, found) })
  }
  return context
}

/** With its contents in place of their markers. */
const wholeOf = async ({ reader }: Reading, version: Versioned): Promise<AnyResource> =>
  hasMarkers(version.text)
    ? (parseJson(await payloadOf(reader, version, 'application/fhir+json')) as AnyResource)
    : version.resource
