/** A Subscription as it is to be carried out, with all that is wrong with it. https://hl7.org/fhir/R4/subscription.html */
import type { Subscription } from 'fhir/r4'
import { isHttpAddress, SECRET_IS_SET } from '../clinics/setting-checks.ts'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { type FhirError, unprocessable } from '../fhir/outcome.ts'
import { present, valuesIn } from '../fhir/resource.ts'
import { backportChannel, checkExtensions, isBackport, topicOf } from './backport.ts'
import { compileMatcher, type Matched } from './matcher.ts'
import type { Channel, Definition } from './state.ts'

const refused = (diagnostics: string, element: string): FhirError =>
  unprocessable(diagnostics, { expression: `Subscription.${element}` })

/** The formats of a payload, by their MIME types. */
export const PAYLOADS: Readonly<Record<string, 'json' | 'xml'>> = {
  'application/fhir+json': 'json',
  'application/json': 'json',
  'application/fhir+xml': 'xml',
  'application/xml': 'xml',
}

/** @param stored the channel as it is stored, whose headers may be kept. @throws FhirError 422 */
export async function definitionOf(
  ctx: Context,
  resource: Subscription,
  stored: Channel | undefined,
): Promise<Definition> {
  checkExtensions(resource)
  const matched = matchedOf(resource)
  const channel = channelOf(resource, stored)
  const { types } = await compileMatcher(ctx, matched)
  const end = resource.end === undefined ? undefined : timeOf(resource.end)
  if (end !== undefined && end <= ctx.now)
    throw refused(`The Subscription has ended: its end is ${resource.end}`, 'end')
  return { ...matched, types, channel, ...present({ end }) }
}

/** Characters of the criteria, and of a filter: those of all Subscriptions of a clinic are in memory. */
const MOST_OF_CRITERIA = 4_000

function matchedOf(resource: Subscription): Matched {
  const { criteria = '', _criteria } = resource
  for (const text of [criteria, ...(_criteria?.extension ?? []).map(({ valueString = '' }) => valueString)])
    if (text.length > MOST_OF_CRITERIA)
      throw refused(`The criteria, and each filter, have ${MOST_OF_CRITERIA} characters at most`, 'criteria')
  return isBackport({ criteria }) ? { kind: 'backport', ...topicOf(resource) } : { kind: 'r4', criteria }
}

const MOST_OF_ENDPOINT = 2_000

function channelOf(resource: Subscription, stored: Channel | undefined): Channel {
  const { channel, criteria = '' } = resource
  const backport = isBackport({ criteria }) ? { backport: backportChannel(resource) } : {}
  return { ...addressOf(resource), headers: headersOf(channel, stored), ...backport }
}

/** An address with credentials is not called: outbound-request.ts. @throws FhirError 422 */
function checkEndpoint(endpoint: string): void {
  if (endpoint.length > MOST_OF_ENDPOINT)
    throw refused(`The endpoint has more than ${MOST_OF_ENDPOINT} characters`, 'channel.endpoint')
  const { username, password } = URL.canParse(endpoint) ? new URL(endpoint) : { username: '', password: '' }
  if (username !== '' || password !== '')
    throw refused(
      'The endpoint has a user name, which everybody could read; send credentials by channel.header',
      'channel.endpoint',
    )
}

/** An element may have an extension alone, and no value. */
const named = (code: string | undefined): string => (code === undefined ? 'a channel without a type' : `'${code}'`)

type Address = Pick<Channel, 'type' | 'endpoint' | 'payload'>

function addressOf(resource: Subscription): Address {
  const { type, endpoint = '', payload } = resource.channel
  switch (type) {
    case 'rest-hook':
      if (!isHttpAddress(endpoint))
        throw refused('The endpoint of a rest-hook must be an http or https address', 'channel.endpoint')
      checkEndpoint(endpoint)
      return { type, endpoint, ...checkPayload(payload, Object.keys(PAYLOADS)) }
    case 'websocket':
      // R4 sends `ping` alone.
      return { type, ...checkPayload(payload, isBackport(resource) ? Object.keys(PAYLOADS) : []) }
    case 'email':
      if (!isMailAddress(endpoint))
        throw refused("The endpoint of an e-mail must be like 'mailto:somebody@example.org'", 'channel.endpoint')
      if (resource.channel._payload?.extension?.some(({ valueCode }) => valueCode === 'full-resource'))
        throw refused('An e-mail holds no resources; use empty or id-only', 'channel.payload.extension')
      return { type, endpoint, ...checkPayload(payload, ['text/plain']) }
    default:
      throw refused(
        `There are no notifications by ${named(type)}; this server has rest-hook, websocket and email`,
        'channel.type',
      )
  }
}

const isMailAddress = (endpoint: string): boolean =>
  endpoint.length <= 260 && /^mailto:[^\s@?,;]+@[^\s@?,;]+\.[^\s@?,;]+$/i.test(endpoint)

/** @throws FhirError 422 */
function checkPayload(payload: string | undefined, formats: readonly string[]): Pick<Channel, 'payload'> {
  if (payload === undefined) return {}
  if (formats.includes(payload)) return { payload }
  const offered = formats.length === 0 ? '' : `is none of ${formats.join(', ')}; `
  throw refused(
    `The payload '${payload}' ${offered}${formats.length === 0 ? 'is not sent by this channel; ' : ''}leave it out for notifications without content`,
    'channel.payload',
  )
}

/** Headers that the server itself sends, and those of the connection. */
const RESERVED =
  /^(?:host|connection|content-(?:length|type|encoding)|transfer-encoding|te|trailer|upgrade|keep-alive|expect|traceparent|tracestate|webhook-.*)$/i
const LINE = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\x20-\x7e\t]*)$/
const MOST_HEADERS = 20
const MOST_OF_HEADER = 4_000

/**
 * The channel of a Subscription that is off, which may be one that this server does not have.
 * @param stored the channel as it is stored
 * @param isImport hidden values of headers have stayed where it comes from
 * @throws FhirError 422
 */
export function channelOff({ channel }: Subscription, stored: Channel | undefined, isImport: boolean): Channel {
  const { endpoint = '', header } = channel
  checkEndpoint(endpoint)
  const isKnown = (line: string) => !isImport || LINE.exec(line)?.[2] !== SECRET_IS_SET
  return {
    type: 'rest-hook',
    endpoint,
    headers: headersOf({ ...channel, header: valuesIn(header).filter(isKnown) }, stored),
  }
}

/**
 * The lines with their values: one that is `set`, as the resource shows it, keeps the stored value, unless it would go to another
 * address: who changes that need not know the value.
 * @throws FhirError 422, which repeats no value
 */
function headersOf({ header, endpoint }: Subscription['channel'], stored: Channel | undefined): readonly string[] {
  const lines = valuesIn(header)
  if (lines.length > MOST_HEADERS) throw refused(`A channel has ${MOST_HEADERS} headers at most`, 'channel.header')
  return lines.map((line, index) => {
    const [, name = '', value = ''] = LINE.exec(line) ?? []
    const at = `channel.header[${index}]`
    if (name === '' || line.length > MOST_OF_HEADER) throw refused("A header must be 'Name: value'", at)
    if (RESERVED.test(name)) throw refused(`The header ${name} is set by the server`, at)
    if (value !== SECRET_IS_SET) return `${name}: ${value}`
    const kept = stored?.headers.find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    if (kept === undefined) throw refused(`The header ${name} has no value yet that '${SECRET_IS_SET}' would keep`, at)
    if (originOf(endpoint) === originOf(stored?.endpoint)) return kept
    throw refused(`The endpoint is another server; send the value of the header ${name} again`, at)
  })
}

const originOf = (endpoint = ''): string => (URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint)

/** The resource as it is stored: nobody reads the values of its headers. */
export const withHeadersHidden = (resource: Subscription): Subscription => {
  const { header } = resource.channel
  if (header === undefined) return resource
  const hidden = valuesIn(header).map((line) => `${line.split(':', 1)[0]}: ${SECRET_IS_SET}`)
  return { ...resource, channel: { ...resource.channel, header: hidden } }
}
