/** The address of this server as the client sees it, behind a proxy too. */
import type { Context as KoaContext } from 'koa'
import { headerOf } from './path-segment.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/**
 * BASE_URL where configured, else Host, or what a trusted proxy says in X-Forwarded-Proto, -Host and -Prefix; without a
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
