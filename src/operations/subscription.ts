/**
 * The operations of Subscription: $status, $events and $get-ws-binding-token.
 * https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/artifacts.html
 */
import type { Bundle, Parameters, Subscription } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { defineOperation, type OperationInput, type OperationRequest } from '../core/operation.ts'
import { CONTENTS, type Content, isBackport } from '../events/backport.ts'
import { newBindingToken, websocketUrl } from '../events/binding-token.ts'
import { eventsAfter } from '../events/log.ts'
import { type NotificationStatus, notificationBundle, statusParameters } from '../events/notification.ts'
import { notifiedEvents } from '../events/send-topic.ts'
import { readState } from '../events/state.ts'
import { instantOf } from '../fhir/dates.ts'
import { badRequest, unprocessable } from '../fhir/outcome.ts'
import type { Versioned } from '../repository/repository.ts'

const STATUSES = ['requested', 'active', 'error', 'off'] as const

/** Subscriptions of one response at most. */
const MOST = 1_000

/** docs/operations/subscription-status.md */
export const subscriptionStatus = defineOperation('subscription-status', async ({ access, input, id, base }) => {
  const ctx = await access.reader()
  const found = id === undefined ? await asked(ctx, input) : [await ctx.read<Subscription>('Subscription', id)]
  const baseUrl = base ?? access.baseUrl
  const statuses = await Promise.all(found.map((one) => statusOf(ctx, one, 'query-status')))
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total: statuses.length,
    entry: statuses.map((status) => entryOf(statusParameters(status, baseUrl))),
  } satisfies Bundle
})

const entryOf = (resource: Parameters) => ({
  fullUrl: `urn:uuid:${resource.id}`,
  resource,
  search: { mode: 'match' as const },
})

/** @throws FhirError 400 for a status that there is not; 404 for an id that there is not */
async function asked(ctx: Context, input: OperationInput): Promise<readonly Versioned<Subscription>[]> {
  const statuses = (input.status ?? []) as readonly string[]
  const unknown = statuses.find((status) => !STATUSES.some((one) => one === status))
  if (unknown !== undefined)
    throw badRequest(`status is '${unknown}'; it must be one of ${STATUSES.join(', ')}`, { expression: 'status' })
  const found = await named(ctx, input, `_count=${MOST}`)
  return statuses.length === 0 ? found : found.filter(({ resource: { status = '' } }) => statuses.includes(status))
}

/** The Subscriptions of the parameter `id`, or those that a search finds. */
async function named(ctx: Context, input: OperationInput, query: string): Promise<readonly Versioned<Subscription>[]> {
  const ids = (input.id ?? []) as readonly string[]
  if (ids.length === 0) return await ctx.search<Subscription>('Subscription', query)
  return await Promise.all([...new Set(ids)].map((id) => ctx.read<Subscription>('Subscription', id)))
}

async function statusOf(
  { unit }: Context,
  { id, resource }: Versioned<Subscription>,
  type: NotificationStatus['type'],
): Promise<NotificationStatus> {
  const { criteria = '', status = 'off', error } = resource
  const last = (await readState(unit, id))?.value.last ?? 0
  const kind = isBackport({ criteria }) ? 'backport' : 'r4'
  return { id, state: { kind, criteria }, status, type, since: last, error }
}

/** Events of one response at most. */
const MOST_EVENTS = 100

/** docs/operations/subscription-events.md */
export const subscriptionEvents = defineOperation('subscription-events', async (request) => {
  const { access, input, id = '', base } = request
  const ctx = await access.reader()
  const subscription = await ctx.read<Subscription>('Subscription', id)
  const from = numberIn(input, 'eventsSinceNumber') ?? 0
  const until = numberIn(input, 'eventsUntilNumber') ?? Number.MAX_SAFE_INTEGER
  if (until < from)
    throw badRequest(`eventsUntilNumber (${until}) is less than eventsSinceNumber (${from})`, {
      expression: 'eventsUntilNumber',
    })
  const logged = await eventsAfter(ctx.unit, id, Math.max(0, from - 1), MOST_EVENTS)
  const status = await statusOf(ctx, subscription, 'query-event')
  const content = contentIn(input, subscription.resource)
  const asked = logged.filter(({ number }) => number <= until)
  const { notified: events } = await notifiedEvents({ reader: ctx }, asked, content)
  return notificationBundle({
    ...{ ...status, content, events },
    baseUrl: base ?? access.baseUrl,
    now: ctx.now,
  })
})

/** @throws FhirError 400 */
function numberIn(input: OperationInput, name: string): number | undefined {
  const text = input[name] as string | undefined
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw badRequest(`${name} is '${text}'; it must be the number of an event, such as 1`, { expression: name })
}

/** The asked content, but not more than the Subscription has: its channel was chosen for that. @throws FhirError 400 */
function contentIn(input: OperationInput, { channel }: Subscription): Content {
  const own = channel._payload?.extension?.find(({ valueCode }) => CONTENTS.some((one) => one === valueCode))?.valueCode
  const most = CONTENTS.indexOf((own ?? (channel.payload === undefined ? 'empty' : 'full-resource')) as Content)
  if (input.content === undefined) return CONTENTS[most] ?? 'empty'
  const at = CONTENTS.indexOf(input.content as Content)
  if (at < 0)
    throw badRequest(`content is '${String(input.content)}'; it must be one of ${CONTENTS.join(', ')}`, {
      expression: 'content',
    })
  return CONTENTS[Math.min(at, most)] ?? 'empty'
}

/** Subscriptions of one token at most. */
const MOST_BOUND = 20

/** docs/operations/subscription-get-ws-binding-token.md */
export const subscriptionBindingToken = defineOperation('subscription-get-ws-binding-token', async (request) => {
  const { access, base } = request
  const websocket = websocketUrl(base ?? access.baseUrl)
  return await access.change(async (ctx) => {
    const subscriptions = await boundBy(ctx, request)
    const { token, expires } = await newBindingToken(ctx, subscriptions)
    return {
      ...{ token, expiration: instantOf(expires), subscription: subscriptions },
      'websocket-url': websocket,
    }
  })
})

/** The ids of what the token is for. @throws FhirError 404; 422 for another channel, for too many, and for none */
async function boundBy(ctx: Context, { id, input }: OperationRequest): Promise<readonly string[]> {
  const query = `type=websocket&status=requested,active,error&_count=${MOST_BOUND}`
  const found = id === undefined ? await named(ctx, input, query) : [await ctx.read<Subscription>('Subscription', id)]
  const other = found.find(({ resource }) => resource.channel.type !== 'websocket')
  if (other !== undefined)
    throw unprocessable(
      `Subscription/${other.id} has the channel type ${other.resource.channel.type}; a token binds those with websocket`,
      { expression: 'id' },
    )
  if (found.length === 0 || found.length > MOST_BOUND)
    throw unprocessable(
      found.length === 0
        ? 'There is no Subscription with the channel type websocket; create one first'
        : `A token binds ${MOST_BOUND} Subscriptions at most`,
      { expression: 'id' },
    )
  return found.map((one) => one.id)
}
