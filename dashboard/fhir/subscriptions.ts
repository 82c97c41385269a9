/**
 * Subscriptions of R4, by criteria, and those of the R5 backport, to a topic.
 * https://hl7.org/fhir/R4/subscription.html, https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/
 */
import type { Extension, Subscription } from 'fhir/r4'
import type { Topic } from './topics.ts'

const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-'
const JSON_TYPE = 'application/fhir+json'

/** The fields of a form, as they are typed. */
export type SubscriptionFields = Readonly<
  Record<'kind' | 'topic' | 'filters' | 'criteria' | 'channel' | 'endpoint' | 'content' | 'headers' | 'reason', string>
>

/** @param id under which it is created */
export function subscriptionFrom(fields: SubscriptionFields, id: string): Subscription {
  const { kind, reason, criteria } = fields
  const asked = { resourceType: 'Subscription', id, status: 'requested', reason: reason.trim() } as const
  const channel = channelFrom(fields)
  if (kind === 'criteria')
    return { ...asked, criteria: criteria.trim(), channel: { ...channel, ...payloadFrom(fields) } }
  const filters = linesIn(fields.filters).map((valueString) => ({ url: `${BACKPORT}filter-criteria`, valueString }))
  const extension = [{ url: `${BACKPORT}payload-content`, valueCode: fields.content }]
  return {
    ...asked,
    meta: { profile: [`${BACKPORT}subscription`] },
    criteria: fields.topic,
    ...(filters.length === 0 ? {} : { _criteria: { extension: filters } }),
    channel: { ...channel, payload: JSON_TYPE, _payload: { extension } },
  }
}

const payloadFrom = ({ content }: SubscriptionFields) => (content === '' ? {} : { payload: content })

function channelFrom({ channel, endpoint, headers }: SubscriptionFields): Subscription['channel'] {
  if (channel === 'websocket') return { type: 'websocket' }
  if (channel === 'email') return { type: 'email', endpoint: `mailto:${endpoint.trim().replace(/^mailto:/, '')}` }
  const header = linesIn(headers)
  return { type: 'rest-hook', endpoint: endpoint.trim(), ...(header.length === 0 ? {} : { header }) }
}

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The contents of a notification, by what they are called in the resource. */
export const CONTENTS = {
  topic: {
    'id-only': 'The ids of the resources',
    'full-resource': 'The resources',
    empty: 'The number of events alone',
  },
  criteria: {
    '': 'Nothing: an empty request',
    [JSON_TYPE]: 'The resource, as JSON',
    'application/fhir+xml': 'The resource, as XML',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/** Whether it is to a topic: criteria of R4 begin with a type. */
export const isToTopic = ({ criteria = '' }: Pick<Subscription, 'criteria'>): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(criteria)

/** The title of its topic, or its criteria. */
export const subscriptionTitle = (subscription: Subscription, topics?: readonly Topic[]): string =>
  topicOf(subscription, topics)?.title ?? subscription.criteria ?? 'A Subscription'

/** The topic that it is to; undefined where it is to none, or to one that is not known. */
export const topicOf = ({ criteria = '' }: Subscription, topics: readonly Topic[] = []): Topic | undefined =>
  topics.find(({ url }) => url === criteria.split('|')[0])

/** The types of resources whose changes may be events of it, as far as they are known. */
export const typesOf = (subscription: Subscription, topics?: readonly Topic[]): readonly string[] =>
  isToTopic(subscription)
    ? (topicOf(subscription, topics)?.types ?? [])
    : [(subscription.criteria ?? '').split('?', 1)[0] ?? '']

/** The filters of one to a topic. */
export const filtersOf = ({ _criteria }: Subscription): readonly string[] =>
  valuesIn(_criteria?.extension, 'filter-criteria')

/** The contents of its notifications, in words. */
export function contentOf(subscription: Subscription): string {
  const { payload, _payload } = subscription.channel
  const [content] = valuesIn(_payload?.extension, 'payload-content')
  const known: Readonly<Record<string, string>> = isToTopic(subscription) ? CONTENTS.topic : CONTENTS.criteria
  const name = isToTopic(subscription) ? (content ?? '') : (payload ?? '')
  return known[name] ?? name
}

const valuesIn = (extensions: readonly Extension[] = [], name: string): readonly string[] =>
  extensions
    .filter(({ url }) => url === BACKPORT + name)
    .flatMap(({ valueString, valueCode }) => valueString ?? valueCode ?? [])
