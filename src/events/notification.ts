/**
 * Notifications of Subscriptions to topics: a Bundle of type history that begins with the status of the Subscription, as
 * Parameters in R4. https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/notifications.html
 */
import { randomUUID } from 'node:crypto'
import type { Bundle, BundleEntry, FhirResource, Parameters, ParametersParameter } from 'fhir/r4'
import { instantOf } from '../fhir/dates.ts'
import { writeJson } from '../fhir/json.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { writeXml } from '../fhir/xml/write.ts'
import { BACKPORT, type Content } from './backport.ts'
import { PAYLOADS } from './definition.ts'
import type { SubscriptionState } from './state.ts'

/** https://hl7.org/fhir/R4B/subscriptionstatus.html#notification-types */
export type NotificationType = 'handshake' | 'heartbeat' | 'event-notification' | 'query-status' | 'query-event'

/** A version that a notification is about, or that it has besides. */
export interface NotifiedVersion {
  /** Type and id. */
  readonly address: string
  /** Absent where the content is less than `full-resource`. */
  readonly resource?: AnyResource
  /** Characters of the resource; 0 without one. */
  readonly size: number
}

export interface NotifiedEvent extends NotifiedVersion {
  readonly number: number
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The resources that it refers to, as the shape of the topic has them. */
  readonly context: readonly NotifiedVersion[]
}

export interface NotificationStatus {
  /** Subscription.id. */
  readonly id: string
  readonly state: Pick<SubscriptionState, 'kind' | 'criteria'>
  readonly status: 'requested' | 'active' | 'error' | 'off'
  readonly type: NotificationType
  /** The number of the newest event that it tells of, or that there is. */
  readonly since: number
  /** Subscription.error. */
  readonly error?: string | undefined
}

interface Notification extends NotificationStatus {
  readonly content: Content
  readonly events: readonly NotifiedEvent[]
  /** The address of this server. */
  readonly baseUrl: string
  /** Milliseconds since 1970 UTC. */
  readonly now: number
}

/** The text of a notification in the format of the payload, with decimals as they were written. */
export const notificationText = (bundle: Bundle, payload: string | undefined): string =>
  PAYLOADS[payload ?? ''] === 'xml' ? writeXml(bundle as never) : writeJson(bundle)

export function notificationBundle(notification: Notification): Bundle {
  const { now, content, events } = notification
  return {
    resourceType: 'Bundle',
    id: randomUUID(),
    meta: { profile: [`${BACKPORT}/backport-subscription-notification-r4`] },
    type: 'history',
    timestamp: instantOf(now),
    entry: [statusEntry(notification), ...(content === 'full-resource' ? resourceEntries(notification, events) : [])],
  }
}

function statusEntry(notification: Notification): BundleEntry {
  const { id, baseUrl, content, events } = notification
  const { parameter = [], ...status } = statusParameters(notification, baseUrl)
  // The profile of the status: the topic SHOULD NOT be present in a notification with an empty payload.
  const shown = content === 'empty' ? parameter.filter(({ name }) => name !== 'topic') : parameter
  const told = events.map((event) => eventParameter(event, content, baseUrl))
  const resource: Parameters = { ...status, parameter: [...shown, ...told] }
  return {
    fullUrl: `urn:uuid:${status.id}`,
    resource,
    request: { method: 'GET', url: `${baseUrl}/Subscription/${id}/$status` },
    response: { status: '200' },
  }
}

/** The status without events, as $status tells it too. */
export function statusParameters(
  { id, state, status, type, since, error }: NotificationStatus,
  baseUrl: string,
): Parameters & { readonly id: string } {
  const topic = state.kind === 'backport' ? [{ name: 'topic', valueCanonical: state.criteria }] : []
  return {
    resourceType: 'Parameters',
    id: randomUUID(),
    meta: { profile: [`${BACKPORT}/backport-subscription-status-r4`] },
    parameter: [
      { name: 'subscription', valueReference: { reference: `${baseUrl}/Subscription/${id}` } },
      ...topic,
      { name: 'status', valueCode: status },
      { name: 'type', valueCode: type },
      { name: 'events-since-subscription-start', valueString: String(since) },
      ...(error === undefined ? [] : [{ name: 'error', valueCodeableConcept: { text: error } }]),
    ],
  }
}

/** `empty` names no resources. */
function eventParameter(event: NotifiedEvent, content: Content, baseUrl: string): ParametersParameter {
  const referring = (name: string, { address }: NotifiedVersion) => ({
    name,
    valueReference: { reference: `${baseUrl}/${address}` },
  })
  return {
    name: 'notification-event',
    part: [
      { name: 'event-number', valueString: String(event.number) },
      { name: 'timestamp', valueInstant: instantOf(event.at) },
      ...(content === 'empty'
        ? []
        : [referring('focus', event), ...event.context.map((one) => referring('additional-context', one))]),
    ],
  }
}

/** The focus of each event as its change made it, and once each what it refers to. */
function resourceEntries({ baseUrl }: Notification, events: readonly NotifiedEvent[]): readonly BundleEntry[] {
  const context = new Map(events.flatMap((event) => event.context.map((one) => [one.address, one] as const)))
  return [
    ...events.map((event) => entryOf(event, requestOf(event), baseUrl)),
    ...[...context.values()].map((one) => entryOf(one, { method: 'GET', url: one.address }, baseUrl)),
  ]
}

function requestOf({ method, address }: NotifiedEvent): NonNullable<BundleEntry['request']> {
  const [type = ''] = address.split('/')
  return method === 'POST' ? { method, url: type } : { method, url: address }
}

const entryOf = (
  { address, resource }: NotifiedVersion,
  request: NonNullable<BundleEntry['request']>,
  baseUrl: string,
): BundleEntry => ({
  fullUrl: `${baseUrl}/${address}`,
  ...(resource === undefined ? {} : { resource: resource as FhirResource }),
  request,
  response: {
    status: request.method === 'POST' ? '201' : '200',
    ...(resource?.meta?.versionId === undefined ? {} : { etag: `W/"${resource.meta.versionId}"` }),
    ...(resource?.meta?.lastUpdated === undefined ? {} : { lastModified: resource.meta.lastUpdated }),
  },
})
