/**
 * The one way in which connectors send requests to addresses that clinics set. A name is resolved once, and the connection
 * goes to exactly the addresses that were checked, so that a name that changes in between leads nowhere else.
 */
import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { currentCause } from '../record/journal/cause.ts'
import type { OutboundSystem } from '../record/journal/exchange.ts'
import type { SentRequest } from '../record/journal/sent.ts'
import { isPublicAddress } from './address-classes.ts'

/** Bytes of an answer that are read. */
const MAX_ANSWER = 65_536

export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How far requests may go. */
export interface Outbound {
  /** Milliseconds of the whole exchange. */
  readonly deadlineMs: number
  /** Ends the exchange before that. */
  readonly signal?: AbortSignal | undefined
  /** Whether loopback, private and other addresses that are not public may be reached: the operator's decision. */
  readonly allowPrivate: boolean
  /** In place of the system's resolver. */
  readonly resolve?: typeof lookup
  /** Is told of each request, when it has ended. */
  readonly onSent?: (sent: SentRequest) => void
  /** Whose system is asked: requests without it are not told of. */
  readonly about?: {
    readonly clinic: string
    readonly system: OutboundSystem
    /** What it answers is of this server, so it may be shown wherever it listens. */
    readonly isOwn?: boolean
  }
}

export const about = (outbound: Outbound, clinic: string, system: OutboundSystem, isOwn = false): Outbound => ({
  ...outbound,
  about: { clinic, system, isOwn },
})

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined where there is too much. */
  readonly text: string | undefined
}

/** Why there is no answer. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure'
  readonly reason: 'address-not-allowed' | 'unreachable' | 'late'

  constructor(reason: OutboundFailure['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Redirections are answers like any other. @throws OutboundFailure */
export async function sendOutbound(request: OutboundRequest, outbound: Outbound): Promise<Answer> {
  const tell = teller(request, outbound)
  const late = AbortSignal.timeout(outbound.deadlineMs)
  const signal = outbound.signal === undefined ? late : AbortSignal.any([late, outbound.signal])
  try {
    const response = await responseTo(request, outbound, signal)
    const headers = new Headers(
      Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
    )
    const answer = { status: response.statusCode ?? 0, headers, text: await textOf(response) }
    tell(answer)
    return answer
  } catch (error) {
    const failure =
      error instanceof OutboundFailure ? error : new OutboundFailure(late.aborted ? 'late' : 'unreachable')
    tell(failure)
    throw failure
  }
}

/**
 * Tells how a request ended. What a system answers that is not on the public Internet is nobody's to see: a clinic could
 * name any address within reach of the server.
 */
function teller(request: OutboundRequest, outbound: Outbound): (ended: Answer | OutboundFailure) => void {
  const { about, onSent, allowPrivate } = outbound
  if (about === undefined || onSent === undefined) return () => {}
  const [at, since, cause] = [Date.now(), performance.now(), currentCause()]
  const { clinic, system, isOwn = false } = about
  const isShown = isOwn || !allowPrivate
  return (ended) =>
    onSent({
      ...{ id: randomUUID(), clinic, system, at, duration: performance.now() - since, ...request },
      ...(cause === undefined ? {} : { cause }),
      ...(ended instanceof OutboundFailure ? { failure: ended.reason } : { answer: shownOf(ended, isShown) }),
    })
}

/** Headers of an answer that tell nothing of where it came from. */
const SHOWN_HEADERS = ['content-length', 'content-type', 'retry-after']

function shownOf({ status, headers, text }: Answer, isShown: boolean): NonNullable<SentRequest['answer']> {
  const shown = isShown ? [...headers] : [...headers].filter(([name]) => SHOWN_HEADERS.includes(name))
  return { status, headers: Object.fromEntries(shown), ...(isShown && text !== undefined ? { text } : {}) }
}

function responseTo(
  { url, method, headers, body }: OutboundRequest,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const address = new URL(url)
  const host = address.hostname.replace(/^\[|\]$/g, '')
  // Of an address Node looks up nothing; a user name would be sent as credentials.
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

/** A name one of whose addresses is not allowed is refused as a whole. */
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

/** The rest of a long answer is not waited for. */
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
