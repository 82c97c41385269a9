/** Notifications of Subscriptions to topics by a rest-hook: one Bundle for several events, a handshake, or a heartbeat. */
import type { Delivery, TellExchange } from '../core/ports.ts'
import { hasMarkers } from '../fhir/content/marker.ts'
import { parseJson } from '../fhir/json.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'
import type { BackportChannel, Content } from './backport.ts'
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

interface Sent {
  readonly outcome: Delivery | 'gone'
  /** The number of the newest event that it was to tell of, or that was left out; undefined for a notice. */
  readonly upTo?: number | undefined
}

/** @param events the next ones, of which it tells as many as fit into one notification; none for a notice */
export async function sendToTopic(
  sending: Sending & { readonly backport: BackportChannel },
  type: NotificationType,
  events: readonly NumberedEvent[],
  tell: TellExchange,
): Promise<Sent> {
  const { id, state, settings, backport } = sending
  const { notified, upTo } = await notifiedEvents(sending, events, backport.content)
  if (events.length > 0 && notified.length === 0) return { outcome: { delivered: true }, upTo }
  const body = bodyOf(sending, type, notified)
  const last = notified.at(-1)?.number
  const messageId = `${id}.${last ?? `${type}.${sending.reader.now}`}`
  const outbound = outboundOf(sending, tell)
  const deadlineMs = Math.min(outbound.deadlineMs, (backport.timeout ?? Number.POSITIVE_INFINITY) * 1000)
  const { endpoint = '', payload } = state.channel
  const request = { method: 'POST', url: endpoint, body, payload } as const
  const signed = { messageId, channel: state.channel, secret: settings.eventSecret }
  return { outcome: await postSigned(request, signed, { ...outbound, deadlineMs }), upTo }
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

/** Characters of the resources of one notification at most, unless its first event alone has more. */
const MOST_TOLD = 8 * 1024 * 1024

interface Notified {
  readonly notified: readonly NotifiedEvent[]
  /** The number of the newest event that is among them or was left out; undefined where there is none. */
  readonly upTo: number | undefined
}

/** As many events as fit into one notification, as the reader may read them, without those whose resource it may not; with what they refer to. */
export async function notifiedEvents(
  reading: Reading,
  events: readonly NumberedEvent[],
  content: Content,
): Promise<Notified> {
  const notified: NotifiedEvent[] = []
  let [told, upTo]: [number, number | undefined] = [0, undefined]
  for (const event of events) {
    const next = await notifiedEvent(reading, event, content)
    told += next === undefined ? 0 : [next, ...next.context].reduce((sum, { size }) => sum + size, 0)
    if (notified.length > 0 && told > MOST_TOLD) break
    if (next !== undefined) notified.push(next)
    upTo = event.number
  }
  return { notified, upTo }
}

async function notifiedEvent(
  reading: Reading,
  event: NumberedEvent,
  content: Content,
): Promise<NotifiedEvent | undefined> {
  const version = await readableBy(reading, event)
  if (version === undefined) return undefined
  const { number, at, method, focus: address } = event
  const context = content === 'empty' ? [] : await contextIn(reading, event, version.resource, content)
  return { number, at, method, address, ...(await wholeOf(reading, version, content)), context }
}

async function contextIn(
  reading: Reading,
  { topic: url }: NumberedEvent,
  resource: AnyResource,
  content: Content,
): Promise<readonly NotifiedVersion[]> {
  const topic = url === undefined ? undefined : topicAt(url)
  if (topic === undefined) return []
  const entries = await reading.reader.unit.indexEntries(resource)
  const context: NotifiedVersion[] = []
  for (const address of contextOf(topic, { entries })) {
    const found = await currentBy(reading, address)
    if (found !== undefined) context.push({ address, ...(await wholeOf(reading, found, content)) })
  }
  return context
}

/** The resource with its contents in place of their markers, where it is told. */
async function wholeOf(
  { reader }: Reading,
  version: Versioned,
  content: Content,
): Promise<Pick<NotifiedVersion, 'resource' | 'size'>> {
  if (content !== 'full-resource') return { size: 0 }
  if (!hasMarkers(version.text)) return { resource: version.resource, size: version.text.length }
  const text = await payloadOf(reader, version, 'application/fhir+json')
  return { resource: parseJson(text) as AnyResource, size: text.length }
}
