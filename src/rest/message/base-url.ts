/** The address of this server as the client sees it, behind a proxy too. */
import type { Context as KoaContext } from 'koa'
import { headerOf } from './header.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/**
 * BASE_URL where configured, else Host, or what a trusted proxy says in X-Forwarded-Proto, -Host and -Prefix; without a
 * trailing slash.
 */
export const baseUrlOf =
  (configured: string | undefined, proxies: TrustedProxies) =>
  (koa: KoaContext): string => {
    if (configured !== undefined) return configured
    const proto = proxies.forwarded(koa, 'x-forwarded-proto') === 'https' ? 'https' : 'http'
    const host = proxies.forwarded(koa, 'x-forwarded-host') || (headerOf(koa, 'host') ?? '')
    const prefix = proxies.forwarded(koa, 'x-forwarded-prefix').replace(/\/+$/, '')
    // Headers are the client's to choose: what is no host name is not echoed into links.
    const safeHost = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:]+\](:\d{1,5})?$/.test(host) ? host : 'localhost'
    return `${proto}://${safeHost}${/^(\/[\w.~-]+)*$/.test(prefix) ? prefix : ''}`
  }
