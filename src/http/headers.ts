/**
 * Header fields: how they are read, those that every response has, the ids of a request, rate limits, and what proxies say of
 * the client. X-Request-Id is assigned by this server, X-Correlation-Id is given by the client
 * (https://hl7.org/fhir/R4/http.html#custom), X-Sandbox-Run or X-Run-Id names the test run that a request belongs to, x-call-id the
 * live call.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Context as KoaContext, Middleware } from 'koa'
import { badRequest } from '../fhir/outcome.ts'

/** By its name in lower case; undefined when it is missing or empty. Node joins one that came several times. */
export function headerOf({ req }: Pick<KoaContext, 'req'>, name: string): string | undefined {
  const value = req.headers[name]
  return typeof value === 'string' && value !== '' ? decodedHeader(value) : undefined
}

/** Node reads the bytes of a header as Latin-1. Those that are valid UTF-8 are what curl, for instance, sends of text as it was typed. */
function decodedHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

/**
 * A body is what its Content-Type says (https://fetch.spec.whatwg.org/#x-content-type-options-header), and no cache keeps
 * what may be about a patient. A client that has kept a version itself may still ask, by its ETag, whether it is the
 * current one.
 */
export const DEFAULT_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
]

export const withDefaultHeaders =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    for (const [name, value] of DEFAULT_HEADERS) response.setHeader(name, value)
    setRequestIds(request, response)
    listener(request, response)
  }

export const REQUEST_ID = 'X-Request-Id'
const CORRELATION_ID = 'X-Correlation-Id'

/** The form of an accepted id: it is sent back in a header. */
const ID = /^[\x21-\x7e]{1,128}$/

function setRequestIds({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader(REQUEST_ID, randomUUID())
  const given = headers['x-request-id'] ?? headers['x-correlation-id']
  if (given !== undefined && typeof given === 'string' && ID.test(given)) response.setHeader(CORRELATION_ID, given)
}

type Sent = Pick<KoaContext, 'res'>
type Received = Pick<KoaContext, 'req'>

export const requestIdOf = ({ res }: Sent): string => String(res.getHeader(REQUEST_ID) ?? '')

export function correlationOf({ res }: Sent): string | undefined {
  const id = res.getHeader(CORRELATION_ID)
  return id === undefined ? undefined : String(id)
}

/** Whether a request names a run at all, be it in a malformed way. */
export const namesRun = ({ req }: Received): boolean => 'x-sandbox-run' in req.headers || 'x-run-id' in req.headers

/** Undefined where it is missing or malformed. */
export const namedRunOf = (koa: Received): string | undefined => idIn(koa, 'x-sandbox-run') ?? idIn(koa, 'x-run-id')
export const callIdOf = (koa: Received): string | undefined => idIn(koa, 'x-call-id')
export const replayedIn = (koa: Received): string | undefined => idIn(koa, 'x-replay-of')

function idIn({ req }: Received, header: string): string | undefined {
  const id = req.headers[header]
  return typeof id === 'string' && ID.test(id) ? id : undefined
}

/**
 * Refuses requests that name two hosts (https://www.rfc-editor.org/rfc/rfc9112#section-3.2): a proxy and this server could
 * each take another one for the host.
 * @throws FhirError 400
 */
export const oneHost: Middleware = (koa, next) => {
  const { rawHeaders } = koa.req
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw badRequest('The request has several Host headers; send one')
  return next()
}

/** The route of a request to this server. */
interface Route {
  /** Trusted proxies that it passed. */
  readonly proxies: number
  /** The address from which the outermost trusted proxy received it; without any, that of the connection. */
  readonly client: string
}

/**
 * The headers by which proxies describe the client of a request: X-Forwarded-For, -Host, -Proto and -Prefix
 * (https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/X-Forwarded-For). Any client can send them, so they
 * count only as far as they come from proxies that TRUST_PROXY names.
 */
export class TrustedProxies {
  readonly #subnets: BlockList | undefined

  /** @param subnets as Config.trustedProxies */
  constructor(subnets: readonly string[]) {
    this.#subnets = subnets.length === 0 ? undefined : blockList(subnets)
  }

  /** The IP address of the client; that of the proxy where the proxy does not name its client. */
  clientAddress(request: Received): string {
    return this.#subnets === undefined ? peerOf(request) : this.#routeOf(request).client
  }

  /**
   * A header that proxies set, by its name in lower case; '' when it is missing or comes from no trusted proxy. Proxies
   * either replace it or append to it: the value written by the outermost trusted one counts.
   */
  forwarded(request: Received, name: string): string {
    if (this.#subnets === undefined) return ''
    const header = headerOf(request, name)
    if (header === undefined || !this.#isTrusted(peerOf(request))) return ''
    const values = items(header)
    return values.length === 1
      ? header.trim()
      : (values.at(-Math.min(values.length, this.#routeOf(request).proxies)) ?? '')
  }

  #routeOf(request: Received): Route {
    const addresses = items(headerOf(request, 'x-forwarded-for') ?? '')
    let [client, proxies] = [peerOf(request), 0]
    while (this.#isTrusted(client)) {
      proxies += 1
      const before = addressIn(addresses.pop() ?? '')
      if (before === undefined) break
      client = before
    }
    return { proxies, client }
  }

  #isTrusted(address: string): boolean {
    const version = isIP(address)
    return version !== 0 && this.#subnets?.check(address, version === 4 ? 'ipv4' : 'ipv6') === true
  }
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/')
    list.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

const peerOf = ({ req }: Received): string => plain(req.socket.remoteAddress ?? '')

const items = (header: string): string[] => header.split(',').map((item) => item.trim())

/** Some proxies write the port too. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i

function addressIn(text: string): string | undefined {
  const [, ip6, ip4] = WITH_PORT.exec(text) ?? []
  const address = ip6 ?? ip4 ?? text
  return isIP(address) === 0 ? undefined : plain(address)
}

/** An IPv4 address is not written as an IPv6 one, or a client would have two. */
const plain = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '')

/**
 * The address of this server as the client sees it, behind a proxy too: BASE_URL where configured, else Host, or what a trusted proxy says in X-Forwarded-Proto, -Host and -Prefix; without a
 * trailing slash.
 */
export function baseUrlOf(configured: string | undefined, proxies: TrustedProxies): (koa: KoaContext) => string {
  if (configured !== undefined) return () => configured
  // Most requests name the address that the one before them named.
  let last = { asked: '', base: '' }
  return (koa) => {
    const proto = proxies.forwarded(koa, 'x-forwarded-proto') === 'https' ? 'https' : 'http'
    const host = proxies.forwarded(koa, 'x-forwarded-host') || (headerOf(koa, 'host') ?? '')
    const prefix = proxies.forwarded(koa, 'x-forwarded-prefix').replace(/\/+$/, '')
    const asked = `${proto}\n${host}\n${prefix}`
    if (asked !== last.asked) last = { asked, base: `${proto}://${safeHost(host)}${safePrefix(prefix)}` }
    return last.base
  }
}

/** Clients can set these headers: a text that is not a host name is not echoed into links. */
const safeHost = (host: string): string =>
  /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:]+\](:\d{1,5})?$/.test(host) ? host : 'localhost'

const safePrefix = (prefix: string): string => (/^(\/[\w.~-]+)*$/.test(prefix) ? prefix : '')

/** A quota: a number in a unit of the draft, or requests within a number of seconds. */
type Quota =
  | { readonly most: number; readonly of: 'concurrent-requests' | 'content-bytes' }
  | { readonly most: number; readonly perSeconds: number }

/**
 * The header fields of a response 429: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10.
 * @param name of the share
 * @param seconds until the client may retry
 */
export const exceeded = (name: string, quota: Quota, seconds: number): Readonly<Record<string, string>> => ({
  'retry-after': String(seconds),
  'ratelimit-policy': `"${name}";q=${quota.most};${'of' in quota ? `qu="${quota.of}"` : `w=${quota.perSeconds}`}`,
  ratelimit: `"${name}";r=0;t=${seconds}`,
})

/** Encodings of bodies, the best first, each with the header of a client that refuses it. */
const ENCODINGS = [
  { name: 'br', refused: /br\s*;\s*q=0(\.0*)?\s*(,|$)/ },
  { name: 'gzip', refused: /gzip\s*;\s*q=0(\.0*)?\s*(,|$)/ },
] as const

export type Encoding = (typeof ENCODINGS)[number]['name']

/** The encodings that a client accepts, the best first. @param accepted the header Accept-Encoding */
export const encodingsIn = (accepted: string): readonly Encoding[] =>
  ENCODINGS.filter(({ name, refused }) => accepted.includes(name) && !refused.test(accepted)).map(({ name }) => name)
