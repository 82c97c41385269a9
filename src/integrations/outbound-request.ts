/**
 * The one way in which connectors send requests to addresses that clinics set. A name is resolved once, and the
 * connection goes to exactly the addresses that were checked, so that a change of the name in between has no effect.
 */
import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import type { TellExchange } from '../core/ports.ts'
import { present } from '../fhir/resource.ts'
import { currentBudget } from '../isolation/budget.ts'
import { childOf, type Sampling, type TraceContext, traceOf, traceparentOf } from '../isolation/trace-context.ts'
import { beginningOf, type OutboundSystem, outcomeOf, type SeenExchange } from '../record/journal/exchange.ts'

/** Most bytes of a response that are read. */
const MAX_ANSWER = 65_536

export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Limits of requests. */
export interface Outbound {
  /** Milliseconds of the whole exchange. */
  readonly deadlineMs: number
  /** Ends the exchange early. */
  readonly signal?: AbortSignal | undefined
  /** Whether loopback, private and other addresses that are not public may be reached: the operator's decision. */
  readonly allowPrivate: boolean
  /** Replaces the system's resolver. */
  readonly resolve?: typeof lookup
  /** Called after each request. */
  readonly onSent?: (sent: SeenExchange) => void
  /** For traces that begin with a request that no other one has caused. */
  readonly sampling?: Sampling | undefined
  /** The receiving system and its clinic: requests without it are not reported to `onSent`. */
  readonly about?: {
    readonly clinic: string
    readonly system: OutboundSystem
    /** The system is part of this server, so its responses may be shown wherever it listens. */
    readonly isOwn?: boolean
  }
}

export const about = (outbound: Outbound, clinic: string, system: OutboundSystem, isOwn = false): Outbound => ({
  ...outbound,
  about: { clinic, system, isOwn },
})

/** The same, and `tell` is called with the id of each exchange. */
export const telling = (outbound: Outbound, tell: TellExchange | undefined): Outbound =>
  tell === undefined
    ? outbound
    : {
        ...outbound,
        onSent: (sent) => {
          outbound.onSent?.(sent)
          tell(sent.id)
        },
      }

interface Head {
  readonly status: number
  readonly headers: Headers
}

export interface TextAnswer extends Head {
  /** Undefined where the response is too long. */
  readonly text: string | undefined
}

/** The reason why there is no response. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure'
  readonly reason: 'address-not-allowed' | 'unreachable' | 'late'

  constructor(reason: OutboundFailure['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Why `receiver` (its name in sentences, such as `the CRM`) has not answered. */
export function sentenceOf(reason: OutboundFailure['reason'], receiver: string, deadlineMs: number): string {
  switch (reason) {
    case 'address-not-allowed':
      return `the address of ${receiver} is not allowed: it must lead to the public Internet`
    case 'late':
      return `${receiver} did not respond within ${deadlineMs} ms`
    case 'unreachable':
      return `${receiver} cannot be reached`
  }
}

/** Redirections are responses like any other. @throws OutboundFailure */
export async function sendOutbound(untraced: OutboundRequest, outbound: Outbound): Promise<TextAnswer> {
  const { request, tell } = tracedAndTold(untraced, outbound)
  const { signal, failed } = limitsOf(outbound)
  try {
    const response = await responseTo(request, outbound, signal)
    const answer = { ...headOf(response), text: await textOf(response) }
    tell(answer)
    return answer
  } catch (error) {
    const failure = failed(error)
    tell(failure)
    throw failure
  }
}

/** A response whose body is read as it arrives. */
export interface StreamedAnswer extends Head {
  /** @throws OutboundFailure, unless it is complete */
  readonly body: AsyncIterable<Buffer>
  /** Ends the exchange, whether the body was read or not. */
  readonly leave: () => void
}

/** The same, for a body of any length, of which the size alone is reported, once it was read or left. @throws OutboundFailure */
export async function streamOutbound(untraced: OutboundRequest, outbound: Outbound): Promise<StreamedAnswer> {
  const { request, tell } = tracedAndTold(untraced, outbound)
  const { signal, failed } = limitsOf(outbound)
  try {
    return streamed(await responseTo(request, outbound, signal), failed, tell)
  } catch (error) {
    const failure = failed(error)
    tell(failure)
    throw failure
  }
}

function streamed(response: IncomingMessage, failed: (error: unknown) => OutboundFailure, tell: Tell): StreamedAnswer {
  const head = headOf(response)
  let [size, hasEnded] = [0, false]
  const end = (failure?: OutboundFailure) => {
    if (!hasEnded) tell(failure ?? { ...head, size })
    hasEnded = true
    response.destroy()
  }
  async function* body(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of response as AsyncIterable<Buffer>) {
        size += piece.length
        yield piece
      }
      if (!response.complete) throw failed(undefined)
    } catch (error) {
      const failure = failed(error)
      end(failure)
      throw failure
    } finally {
      end()
    }
  }
  return { ...head, body: body(), leave: () => end() }
}

const headOf = ({ statusCode = 0, headersDistinct }: IncomingMessage): Head => ({
  status: statusCode,
  headers: new Headers(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')])),
})

/** The request as part of a trace, and the report of how it ended. */
function tracedAndTold(untraced: OutboundRequest, outbound: Outbound) {
  const id = randomUUID()
  const trace = currentTrace(id, outbound)
  const request = { ...untraced, headers: { ...untraced.headers, traceparent: traceparentOf(trace) } }
  return { request, tell: teller({ id, trace }, request, outbound) }
}

/** The signal that ends an exchange at its deadline or before, and the failure that an error of it is. */
function limitsOf({ deadlineMs, signal }: Outbound) {
  const late = AbortSignal.timeout(deadlineMs)
  return {
    signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    failed: (error: unknown): OutboundFailure =>
      error instanceof OutboundFailure ? error : new OutboundFailure(late.aborted ? 'late' : 'unreachable'),
  }
}

/** Part of the trace of the request in progress, or of the one that has staged it. */
function currentTrace(id: string, { sampling }: Outbound): TraceContext {
  const cause = currentBudget()?.trace
  return cause === undefined ? traceOf(id, sampling) : childOf(cause, id)
}

/** A response, with its text, or the size of its body. */
type Told = TextAnswer | (Head & { readonly size: number })
type Tell = (ended: Told | OutboundFailure) => void

/**
 * Reports how a request ended. Responses of a system that is not on the public Internet are not shown: a clinic could
 * name any address within reach of the server.
 */
function teller(named: Pick<SeenExchange, 'id' | 'trace'>, request: OutboundRequest, outbound: Outbound): Tell {
  const { about, onSent, allowPrivate } = outbound
  if (about === undefined || onSent === undefined) return () => {}
  const [at, since, budget] = [Date.now(), performance.now(), currentBudget()]
  const cause = budget?.cause?.()
  const { clinic, system, isOwn = false } = about
  const { method, url: address, headers: requestHeaders, body } = request
  return (ended) =>
    onSent({
      ...{ ...named, direction: 'out', at, duration: performance.now() - since, clinic, system },
      ...present({ cause: cause?.id, run: budget?.run ?? cause?.run, call: cause?.call }),
      ...{ method, address, requestHeaders, requestBody: beginningOf(body) },
      ...(ended instanceof OutboundFailure ? withoutResponse(ended) : shownOf(ended, isOwn || !allowPrivate)),
    })
}

type Ended = Pick<SeenExchange, 'status' | 'outcome' | 'reason' | 'responseHeaders' | 'responseBody'>

const withoutResponse = ({ reason }: OutboundFailure): Ended => ({
  ...{ status: 0, outcome: 'failed', responseHeaders: {} },
  reason: { code: reason, text: FAILURES[reason] },
})

const FAILURES: Readonly<Record<OutboundFailure['reason'], string>> = {
  'address-not-allowed': 'The address is not allowed: it must lead to the public Internet',
  unreachable: 'The system cannot be reached',
  late: 'The system did not respond in time',
}

/** Headers of a response that reveal nothing about its sender. */
const SHOWN_HEADERS = ['content-length', 'content-type', 'retry-after']

function shownOf(ended: Told, isShown: boolean): Ended {
  const { status, headers } = ended
  const shown = isShown ? [...headers] : [...headers].filter(([name]) => SHOWN_HEADERS.includes(name))
  const responseBody = isShown ? bodyOf(ended) : undefined
  const outcome = outcomeOf(status)
  return { status, outcome, responseHeaders: Object.fromEntries(shown), ...present({ responseBody }) }
}

function bodyOf(ended: Told): Ended['responseBody'] {
  if ('size' in ended) return { size: ended.size }
  return ended.text === undefined ? undefined : beginningOf(ended.text)
}

function responseTo(
  { url, method, headers, body }: OutboundRequest,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const address = new URL(url)
  const host = address.hostname.replace(/^\[|\]$/g, '')
  // Node does not look up IP addresses; a user name would be sent as credentials.
  const isRefused = isIP(host) !== 0 && !isAllowed(host, outbound)
  if (isRefused || address.username !== '' || address.password !== '') throw new OutboundFailure('address-not-allowed')
  const send = address.protocol === 'https:' ? httpsRequest : httpRequest
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  const options = { method, headers: { ...headers, ...length }, signal, agent: false, lookup: checkedLookup(outbound) }
  return new Promise((resolve, reject) => {
    send(address, options, resolve).once('error', reject).end(body)
  })
}

const isAllowed = (address: string, { allowPrivate }: Outbound): boolean => allowPrivate || isPublicAddress(address)

/** Refuses a name if one of its addresses is not allowed. */
const checkedLookup =
  (outbound: Outbound): LookupFunction =>
  (name, options, callback) => {
    const { resolve = lookup } = outbound
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first] = error === null ? addresses : []
      if (error !== null || first === undefined) callback(error ?? new OutboundFailure('unreachable'), '')
      else if (!addresses.every(({ address }) => isAllowed(address, outbound)))
        callback(new OutboundFailure('address-not-allowed'), '')
      else if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })
  }

/** Stops reading when a response is too long. */
async function textOf(response: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_ANSWER) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Not globally reachable, multicast, or reserved. */
const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Exceptions within global unicast: protocol assignments with Teredo, documentation, and 6to4, which embeds an IPv4
 * address.
 */
const IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const closed = new BlockList()
for (const [net, prefix] of IPV4) closed.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of IPV6) closed.addSubnet(net, prefix, 'ipv6')

/** All other IPv6 addresses are loopback, link-local, unique local, mapped, translated (NAT64) or unassigned. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** @param address an IP address, without brackets */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  if (isIPv6(plain)) return globalUnicast.check(plain, 'ipv6') && !closed.check(plain, 'ipv6')
  return !closed.check(plain, 'ipv4')
}
