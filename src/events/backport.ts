/**
 * Subscriptions to topics in R4: what their extensions ask for.
 * https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/StructureDefinition-backport-subscription.html
 */
import type { Extension, Subscription } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { closestName } from '../fhir/closest-name.ts'
import { type FhirError, unprocessable } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import type { Condition } from '../search/plan.ts'
import { checkParts, conditionsWithin, meets } from './criteria.ts'
import type { CompiledMatcher } from './resource-event.ts'
import { type Topic, topicAt, topics } from './topics.ts'

export const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition'

const refused = (diagnostics: string, element: string): FhirError =>
  unprocessable(diagnostics, { expression: `Subscription.${element}` })

/** Criteria of R4 begin with a resource type, a canonical with its scheme. */
export const isBackport = ({ criteria = '' }: { readonly criteria?: string | undefined }): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(criteria)

export const CONTENTS = ['empty', 'id-only', 'full-resource'] as const
export type Content = (typeof CONTENTS)[number]

/** The requests of a Subscription to a topic about its notifications. */
export interface BackportChannel {
  readonly content: Content
  /** Seconds without a notification after which a heartbeat is sent; absent: none is. */
  readonly heartbeat?: number
  /** Seconds that the receiver has at most; absent: as long as all receivers. */
  readonly timeout?: number
  /** Events of one notification at most. */
  readonly maxCount: number
}

const MOST_EVENTS = 20
const BOUNDS = {
  'heartbeat-period': { least: 10, most: 31 * 86_400 },
  timeout: { least: 1, most: 86_400 },
  'max-count': { least: 1, most: 100 },
} as const

/** @throws FhirError 422 */
export function backportChannel({ channel }: Subscription): BackportChannel {
  const { _payload, _type, extension, payload } = channel
  const [custom] = valuesOf(_type?.extension, 'channel-type')
  if (custom !== undefined)
    throw refused(
      `There are no notifications by the channel type ${custom.valueCoding?.code}`,
      'channel.type.extension',
    )
  if (payload === undefined)
    throw refused('A Subscription to a topic has a payload, such as application/fhir+json', 'channel.payload')
  const [content] = valuesOf(_payload?.extension, 'payload-content')
  const code = CONTENTS.find((one) => one === content?.valueCode)
  if (code === undefined)
    throw refused(
      `The extension ${BACKPORT}/backport-payload-content of the payload must be one of ${CONTENTS.join(', ')}`,
      'channel.payload.extension',
    )
  const number = (name: keyof typeof BOUNDS) => numberIn(extension, name)
  return {
    content: code,
    maxCount: number('max-count') ?? MOST_EVENTS,
    ...present({ heartbeat: number('heartbeat-period'), timeout: number('timeout') }),
  }
}

/** The extensions of the guide that are carried out, by the element that has them. */
const CARRIED_OUT: Readonly<Record<string, readonly string[]>> = {
  criteria: ['filter-criteria'],
  channel: Object.keys(BOUNDS),
  'channel.type': ['channel-type'],
  'channel.payload': ['payload-content'],
}

/** Extensions in place of elements of R5, but for those without an effect on notifications. */
const CROSS_VERSION =
  /^http:\/\/hl7\.org\/fhir\/\d+\.\d+\/(?!StructureDefinition\/extension-Subscription\.(?:identifier|name|contact|managingEntity)$)/

/**
 * Refuses extensions that ask for what would not be done: a filter or a content that is overlooked tells the receiver too much.
 * https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/components.html#accepting-subscription-requests
 * @throws FhirError 422
 */
export function checkExtensions(resource: Subscription): void {
  const { extension, _criteria, channel } = resource
  const carriedOut = isBackport(resource) ? CARRIED_OUT : {}
  const elements = {
    '': extension,
    criteria: _criteria?.extension,
    channel: channel.extension,
    'channel.type': channel._type?.extension,
    'channel.endpoint': channel._endpoint?.extension,
    'channel.payload': channel._payload?.extension,
  }
  for (const [element, extensions = []] of Object.entries(elements)) {
    const known = (carriedOut[element] ?? []).map((name) => `${BACKPORT}/backport-${name}`)
    const unknown = extensions.find(({ url = '' }) => isOfSubscriptions(url) && !known.includes(url))
    if (unknown !== undefined)
      throw refused(
        `The extension ${unknown.url} is not carried out here${known.length === 0 ? '' : `; there is ${known.join(', ')}`}`,
        `${element}.extension`.replace(/^\./, ''),
      )
  }
}

const isOfSubscriptions = (url: string): boolean => url.startsWith(`${BACKPORT}/`) || CROSS_VERSION.test(url)

const valuesOf = (extensions: readonly Extension[] = [], name: string): readonly Extension[] =>
  extensions.filter(({ url }) => url === `${BACKPORT}/backport-${name}`)

function numberIn(extensions: readonly Extension[] | undefined, name: keyof typeof BOUNDS): number | undefined {
  const [extension, more] = valuesOf(extensions, name)
  if (extension === undefined) return undefined
  const { least, most } = BOUNDS[name]
  const value = extension.valueUnsignedInt ?? extension.valuePositiveInt
  if (more === undefined && value !== undefined && value >= least && value <= most) return value
  throw refused(
    `The extension backport-${name} must have one whole number from ${least} to ${most}`,
    'channel.extension',
  )
}

/** The canonical of its topic, and its filters. @throws FhirError 422 */
export function topicOf({ criteria = '', _criteria }: Subscription): { criteria: string; filters: readonly string[] } {
  const filters = valuesOf(_criteria?.extension, 'filter-criteria').map(({ valueString = '' }) => valueString)
  if (filters.length > MOST_FILTERS) throw refused(`A Subscription has ${MOST_FILTERS} filters at most`, 'criteria')
  return { criteria: knownTopic(criteria).url, filters }
}

const MOST_FILTERS = 20

/** @throws FhirError 422 naming the topic that was probably meant */
function knownTopic(canonical: string): Topic {
  const topic = topicAt(canonical)
  if (topic !== undefined) return topic
  const name = canonical.split('|', 1)[0]?.split('/').at(-1) ?? ''
  const nearest = closestName(
    name,
    topics().map(({ id }) => id),
  )
  const meant = topics().find(({ id }) => id === nearest)
  throw refused(
    `There is no topic '${canonical}'${meant === undefined ? '; the' : `; did you mean ${meant.url}? The`} CapabilityStatement names all topics`,
    'criteria',
  )
}

/** The changes that are events of the topic, and meet all filters. @throws FhirError 422 */
export async function topicMatcher(
  ctx: Context,
  { criteria, filters = [] }: { readonly criteria: string; readonly filters?: readonly string[] | undefined },
): Promise<CompiledMatcher> {
  const topic = knownTopic(criteria)
  const conditions: (readonly [string, readonly Condition[]])[] = []
  for (const filter of filters) conditions.push(await filterOf(ctx, topic, filter))
  checkParts(conditions.flatMap(([, where]) => where))
  return {
    types: topic.types,
    asksPrevious: true,
    match: ({ type, current, previous }) => {
      if (!topic.matches({ type, previous, current })) return undefined
      const version = current ?? previous
      if (version === undefined) return undefined
      const isMet = conditions.every(([of, where]) => of !== type || meets(where, version))
      return isMet ? { topic: topic.url } : undefined
    },
  }
}

/** `Appointment?practitioner=Practitioner/1`; the type may be left out where the topic has one. @throws FhirError 422 */
async function filterOf(ctx: Context, topic: Topic, filter: string): Promise<readonly [string, readonly Condition[]]> {
  const at = filter.indexOf('?')
  const type = at > 0 ? filter.slice(0, at) : topic.types[0]
  const query = filter.slice(at + 1)
  if (type === undefined || !topic.types.includes(type))
    throw refused(`The filter '${filter}' is about ${type}; the topic is about ${topic.types.join(', ')}`, FILTER)
  const offered = topic.filters.filter(({ resource }) => resource === type).map(({ parameter }) => parameter)
  const names = [...new URLSearchParams(query).keys()].map((name) => name.split(':', 1)[0] ?? '')
  const unknown = names.find((name) => !offered.includes(name))
  if (unknown !== undefined || names.length === 0)
    throw refused(
      `The filter '${filter}' must have one of ${offered.join(', ')}, by which this topic is filtered`,
      FILTER,
    )
  return [type, await conditionsWithin(ctx, type, query)]
}

const FILTER = 'criteria.extension'
