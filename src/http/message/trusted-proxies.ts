/**
 * The headers by which proxies describe the client of a request: X-Forwarded-For, -Host, -Proto and -Prefix
 * (https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/X-Forwarded-For). Any client can send them, so they
 * count only as far as they come from proxies that TRUST_PROXY names.
 */
import { BlockList, isIP } from 'node:net'
import type { Context as KoaContext } from 'koa'
import { headerOf } from '../headers.ts'

type Request = Pick<KoaContext, 'req'>

/** The route of a request to this server. */
interface Route {
  /** Trusted proxies that it passed. */
  readonly proxies: number
  /** The address from which the outermost trusted proxy received it; without any, that of the connection. */
  readonly client: string
}

export class TrustedProxies {
  readonly #subnets: BlockList | undefined

  /** @param subnets as Config.trustedProxies */
  constructor(subnets: readonly string[]) {
    this.#subnets = subnets.length === 0 ? undefined : blockList(subnets)
  }

  /** The IP address of the client; that of the proxy where the proxy does not name its client. */
  clientAddress(request: Request): string {
    return this.#subnets === undefined ? peerOf(request) : this.#routeOf(request).client
  }

  /**
   * A header that proxies set, by its name in lower case; '' when it is missing or comes from no trusted proxy. Proxies
   * either replace it or append to it: the value written by the outermost trusted one counts.
   */
  forwarded(request: Request, name: string): string {
    if (this.#subnets === undefined) return ''
    const header = headerOf(request, name)
    if (header === undefined || !this.#isTrusted(peerOf(request))) return ''
    const values = items(header)
    return values.length === 1
      ? header.trim()
      : (values.at(-Math.min(values.length, this.#routeOf(request).proxies)) ?? '')
  }

  #routeOf(request: Request): Route {
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

const peerOf = ({ req }: Request): string => plain(req.socket.remoteAddress ?? '')

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
