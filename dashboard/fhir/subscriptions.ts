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
> & {
  /** FHIR's instant. */
  readonly end?: string
} & Readonly<Partial<Record<LimitName, string>>>

export type LimitName = 'heartbeat' | 'timeout' | 'maxCount'

interface Limit {
  readonly label: string
  /** Shown while nothing is typed. */
  readonly usual: string
  /** The end of the name of its extension, and the type of the value. */
  readonly extension: string
  readonly type: 'valueUnsignedInt' | 'valuePositiveInt'
  readonly least: number
  readonly most: number
  readonly channels: readonly string[]
}

/** The numbers that a Subscription to a topic may ask for. */
export const LIMITS: Readonly<Record<LimitName, Limit>> = {
  heartbeat: {
    ...{ label: 'Heartbeat after seconds', usual: 'none', extension: 'heartbeat-period', type: 'valueUnsignedInt' },
    ...{ least: 10, most: 2_678_400, channels: ['rest-hook', 'websocket'] },
  },
  timeout: {
    ...{ label: 'Seconds to respond', usual: '3', extension: 'timeout', type: 'valueUnsignedInt' },
    ...{ least: 1, most: 86_400, channels: ['rest-hook'] },
  },
  maxCount: {
    ...{ label: 'Most events at once', usual: '20', extension: 'max-count', type: 'valuePositiveInt' },
    ...{ least: 1, most: 100, channels: ['rest-hook', 'websocket', 'email'] },
  },
}

const LIMIT_NAMES = Object.keys(LIMITS) as readonly LimitName[]

/** The limits that there are with a channel; none by criteria. */
export const limitsFor = ({ kind, channel }: Pick<SubscriptionFields, 'kind' | 'channel'>): readonly LimitName[] =>
  kind === 'topic' ? LIMIT_NAMES.filter((name) => LIMITS[name].channels.includes(channel)) : []

/** A sentence about a text that is no such number; undefined for one that is, and where nothing is typed. */
export function limitProblem(name: LimitName, text: string): string | undefined {
  const { least, most } = LIMITS[name]
  const value = Number(text)
  if (text.trim() === '' || (Number.isInteger(value) && value >= least && value <= most)) return undefined
  return `A whole number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`
}

/** @param id under which it is created */
export function subscriptionFrom(fields: SubscriptionFields, id: string): Subscription {
  const { kind, reason, criteria, end = '' } = fields
  const asked = {
    ...({ resourceType: 'Subscription', id, status: 'requested', reason: reason.trim() } as const),
    ...(end === '' ? {} : { end }),
  }
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
    channel: { ...channel, payload: JSON_TYPE, _payload: { extension }, ...limitsFrom(fields) },
  }
}

function limitsFrom(fields: SubscriptionFields): { readonly extension?: Extension[] } {
  const extension = limitsFor(fields).flatMap((name) => {
    const text = fields[name]?.trim() ?? ''
    return text === '' ? [] : [{ url: BACKPORT + LIMITS[name].extension, [LIMITS[name].type]: Number(text) }]
  })
  return extension.length === 0 ? {} : { extension }
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

/** Each limit that it asks for, with its label. */
export const limitsOf = ({ channel }: Subscription): readonly (readonly [label: string, value: string])[] =>
  LIMIT_NAMES.flatMap((name) => {
    const { label, extension, type } = LIMITS[name]
    const value = channel?.extension?.find(({ url }) => url === BACKPORT + extension)?.[type]
    return value === undefined ? [] : [[label, value.toLocaleString('en')] as const]
  })

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
