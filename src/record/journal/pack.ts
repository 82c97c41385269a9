/** An exchange as it was seen becomes an entry of the store: here everything is taken out of it that must not be kept. */

import { randomUUID } from 'node:crypto'
import type { JournalMode } from '../../clinics/settings.ts'
import { present } from '../../fhir/resource.ts'
import { unaccented } from '../../fhir/text-folding.ts'
import { traceOf, traceparentOf } from '../../isolation/trace-context.ts'
import type { JournalEntry } from '../../storage/journal-port.ts'
import type { Gap } from '../recorder.ts'
import { APART } from './decoding.ts'
import {
  beginningOf,
  type ExchangeDetail,
  type ExchangeSummary,
  type GapSummary,
  LEAST_ROLE,
  type Reason,
  type SeenBody,
  type SeenExchange,
  type SeenHeaders,
  type ShownBody,
  type ShownMessage,
  type Timing,
  type ToolDetail,
  type ToolExchange,
  tenths,
} from './exchange.ts'
import { withoutSecrets } from './json-redaction.ts'
import { bodyWithoutText, keptAddress, keptBody, keptHeaders, keptOutboundHeaders } from './redaction.ts'
import { REMOVED, Secrets } from './secrets.ts'

export interface Packing {
  readonly mode: Exclude<JournalMode, 'off'>
  /** Secrets of the service itself, wherever they stand. */
  readonly secrets: readonly string[]
}

const MAX_ADDRESS = 16_384
const MAX_ID = 256
const MAX_REASON = 2_000
/** Characters that a search by words compares. */
const MAX_WORDS = 2_000

/** Finds the secrets first, in their known places, and then removes them wherever they stand. */
export function entryOf(seen: SeenExchange, packing: Packing): JournalEntry {
  const secrets = secretsOf(seen, packing)
  const entry = packed(seen, packing.mode, secrets)
  // Secrets beyond the limit are not searched for and may stand anywhere.
  return secrets.areTooMany ? packed(withoutTexts(seen), 'headers', secretsOf(seen, packing)) : entry
}

/** Secrets that are known before the exchange is searched. */
function secretsOf({ secrets: known = [] }: SeenExchange, packing: Packing): Secrets {
  const secrets = new Secrets(packing.secrets)
  for (const secret of known) secrets.add(secret)
  return secrets
}

const withoutTexts = ({ reason: _reason, ...seen }: SeenExchange): SeenExchange => ({
  ...seen,
  address: pathOf(seen.address),
  requestHeaders: traceHeaderOf(seen),
  responseHeaders: {},
})

/** Its trace, in which no text of the client can stand. */
const traceHeaderOf = ({ id, requestHeaders: { traceparent } }: SeenExchange): SeenHeaders => ({
  traceparent: traceparentOf(traceOf(id, undefined, traceparent)),
})

function packed(seen: SeenExchange, mode: Packing['mode'], secrets: Secrets): JournalEntry {
  const headers = seen.direction === 'in' ? keptHeaders : keptOutboundHeaders
  const request = headers(seen.requestHeaders, secrets)
  const response = keptHeaders(seen.responseHeaders, secrets)
  const address = keptAddress(seen.address.slice(0, MAX_ADDRESS), secrets)
  const bodies = mode === 'full' ? bodiesOf(seen, secrets) : {}
  const tools = seen.tools?.map((tool) => toolOf(tool, mode, secrets))
  const named = {
    summary: summaryOf(seen, address, tools),
    detail: {
      request: messageOf(request, bodies.request, secrets),
      response: messageOf(response, bodies.response, secrets),
      ...(tools === undefined ? {} : { tools }),
      ...(seen.patients === undefined || seen.patients.length === 0 ? {} : { patients: seen.patients }),
    },
  }
  const { summary, detail } = cleaned(named, secrets)
  const whole: ExchangeDetail = {
    ...detail,
    request: markedMessage(detail.request, named.detail.request, seen.requestBody),
    response: markedMessage(detail.response, named.detail.response, seen.responseBody),
    ...(summary.address === seen.address ? {} : { addressChanged: true }),
  }
  return {
    clinic: seen.clinic,
    id: seen.id,
    at: seen.at,
    isGap: false,
    audience: seen.leastRole ?? LEAST_ROLE,
    run: summary.run ?? '',
    call: summary.call ?? '',
    trace: summary.trace ?? '',
    status: seen.status,
    path: pathOf(summary.address),
    type: summary.type ?? '',
    fault: namesIn(seen.fault),
    ...{ method: seen.method, direction: seen.direction, user: summary.user?.id ?? '', duration: summary.duration },
    ...{ operation: operationsIn(summary).join(','), words: wordsOf(summary) },
    summary: JSON.stringify(summary),
    detail: JSON.stringify(whole),
  }
}

/**
 * The same with no secret in any of its texts and names. Each text is searched by itself, as a secret may look like a
 * piece of its surroundings; most exchanges have none, which one search of all texts together shows.
 */
function cleaned<T extends object>(shown: T, secrets: Secrets): T {
  const texts: string[] = []
  collectTexts(shown, texts)
  return secrets.areIn(texts.join(`\n${APART}\n`)) ? (cleanedValue(shown, secrets) as T) : shown
}

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      if (!Array.isArray(value) && !KNOWN_NAMES.has(name)) texts.push(name)
      collectTexts(one, texts)
    }
  }
}

function cleanedValue(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return secrets.without(value)
  if (Array.isArray(value)) return value.map((one) => cleanedValue(one, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      KNOWN_NAMES.has(name) ? name : secrets.without(name),
      cleanedValue(one, secrets),
    ]),
  )
}

/** Names that every exchange has: they need no search. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  ...['request', 'response', 'headers', 'body', 'text', 'type', 'size', 'id', 'direction', 'time', 'duration', 'user'],
  ...['name', 'role', 'method', 'address', 'interaction', 'status', 'outcome', 'reason', 'code', 'summary', 'detail'],
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cache-control', 'connection', 'content-length'],
  ...[
    'content-type',
    'date',
    'etag',
    'host',
    'keep-alive',
    'last-modified',
    'location',
    'sec-fetch-mode',
    'user-agent',
  ],
  ...['vary', 'www-authenticate', 'x-content-type-options', 'x-correlation-id', 'x-request-id', 'x-run-id'],
  ...['trace', 'traceparent', 'traceresponse'],
])

/** A body that lost something that is secret elsewhere is not what was sent either; one of which nothing is left is a hash. */
function markedMessage(message: ShownMessage, before: ShownMessage, seen: SeenBody = {}): ShownMessage {
  const { body } = message
  if (body === undefined || body.text === before.body?.text) return message
  if (body.text !== REMOVED) return { ...message, body: { ...body, changed: true } }
  return { ...message, body: bodyWithoutText(seen, body.type ?? '') }
}

/** Removes also a secret that is cut off at the end of a body. */
function messageOf(headers: SeenHeaders, body: ShownBody | undefined, secrets: Secrets): ShownMessage {
  if (body === undefined) return { headers }
  if (!body.cut || body.text === undefined) return { headers, body }
  const text = secrets.without(body.text, true)
  return { headers, body: { ...body, text, ...(text === body.text ? {} : { changed: true }) } }
}

interface Bodies {
  readonly request?: ShownBody
  readonly response?: ShownBody
}

function bodiesOf(seen: SeenExchange, secrets: Secrets): Bodies {
  const of = (body: SeenBody | undefined, type = '') => body && keptBody(body, type, secrets)
  const request = of(seen.requestBody, seen.requestHeaders['content-type'])
  const response = of(seen.responseBody, seen.responseHeaders['content-type'])
  return present({ request, response })
}

function toolOf({ tool, id, arguments: given, result }: ToolExchange, mode: JournalMode, secrets: Secrets): ToolDetail {
  const { success, valid, code } = resultOf(result)
  const isRefused = success === false || valid === false
  return {
    tool,
    id: keptId(id),
    ...(isRefused || success === true || valid === true ? { success: !isRefused } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(mode === 'full' && given !== undefined ? { arguments: keptValue(JSON.stringify(given), secrets) } : {}),
    ...(mode === 'full' ? { result: keptValue(result, secrets) } : {}),
  }
}

/** Ids as platforms send them; anything else sent as an id is not kept. */
const keptId = (id: unknown): unknown =>
  typeof id === 'number' || (typeof id === 'string' && id.length <= MAX_ID) ? id : null

/** The value of a JSON text without secrets; of a long one the beginning, as a text. */
function keptValue(text: string, secrets: Secrets): unknown {
  const left = withoutSecrets({ text, ...beginningOf(text) }, secrets)
  const kept = left === undefined ? REMOVED : secrets.without(left)
  try {
    return JSON.parse(kept)
  } catch {
    return kept
  }
}

interface ToolResult {
  readonly success?: unknown
  readonly valid?: unknown
  readonly code?: unknown
  readonly error?: unknown
}

function resultOf(text: string): ToolResult {
  try {
    const result: unknown = JSON.parse(text)
    return typeof result === 'object' && result !== null ? result : {}
  } catch {
    return {}
  }
}

function summaryOf(seen: SeenExchange, address: string, tools: readonly ToolDetail[] | undefined): ExchangeSummary {
  const {
    at,
    clinic: _clinic,
    leastRole: _role,
    patients: _patients,
    secrets: _secrets,
    tools: _tools,
    trace: _trace,
    requestBody: _request,
    ...rest
  } = seen
  const { responseBody: _response, requestHeaders: _sent, responseHeaders: _answered, ...shown } = rest
  const reason = seen.reason ?? refusalOf(seen.tools)
  return {
    ...shown,
    ...(reason === undefined ? {} : { reason: { code: reason.code, text: reason.text.slice(0, MAX_REASON) } }),
    ...(seen.outcome === 'ok' && reason !== undefined && seen.tools !== undefined ? { outcome: 'refused' } : {}),
    time: new Date(at).toISOString(),
    trace: traceOf(seen.id, undefined, seen.requestHeaders.traceparent).trace,
    duration: tenths(seen.duration),
    ...(seen.timing && { timing: roundedTiming(seen.timing) }),
    address,
    ...(tools === undefined ? {} : { tools: tools.map(({ arguments: _arguments, result: _result, ...tool }) => tool) }),
  }
}

const roundedTiming = ({ waiting, work, store, sending }: Timing): Timing => ({
  waiting: tenths(waiting),
  work: tenths(work),
  ...present({ store: store && tenths(store) }),
  sending: tenths(sending),
})

/** The reason of the first refused tool call: a platform gets status 200 all the same. */
function refusalOf(tools: readonly ToolExchange[] = []): Reason | undefined {
  for (const { result } of tools) {
    const { success, valid, code, error } = resultOf(result)
    if (success !== false && valid !== false) continue
    return { code: typeof code === 'string' ? code : 'refused', text: typeof error === 'string' ? error : '' }
  }
  return undefined
}

/** The operation, or else the interaction, and the tools. */
const operationsIn = ({ operation, interaction, tools = [] }: ExchangeSummary): readonly string[] => [
  ...new Set([operation ?? interaction ?? '', ...tools.map(({ tool }) => tool)].filter((name) => name !== '')),
]

/** The texts that a list shows. */
function wordsOf(summary: ExchangeSummary): string {
  const { method, address, reason, user, call, system, tools = [] } = summary
  const texts = [
    method,
    readable(address),
    reason?.code,
    reason?.text,
    user?.name,
    call,
    system,
    ...operationsIn(summary),
  ]
  return unaccented([...texts, ...tools.map(({ code }) => code)].join('\n').slice(0, MAX_WORDS))
}

/** An address as people write it. */
function readable(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** `slot-gone#2, slow#1` -> `slot-gone,slow` */
const namesIn = (fault = ''): string => fault.replaceAll(/#\d+/g, '').replaceAll(', ', ',')

/** The path of an address, which may be a whole URL. */
function pathOf(address: string): string {
  const end = address.indexOf('?')
  const path = end < 0 ? address : address.slice(0, end)
  return path.replace(/^https?:\/\/[^/]*/, '')
}

/** The entry that replaces missing exchanges. */
export function gapEntry({ clinic, why, from, to, count }: Gap): JournalEntry {
  const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const summary: GapSummary = { gap: { count, from: first, to: last, why } }
  return {
    clinic,
    id: `gap-${randomUUID()}`,
    at: to,
    isGap: true,
    audience: LEAST_ROLE,
    ...{ run: '', call: '', trace: '', status: 0, path: '', type: '', fault: '' },
    ...{ method: '', direction: '', user: '', operation: '', duration: 0, words: '' },
    summary: JSON.stringify(summary),
    detail: '',
  }
}
