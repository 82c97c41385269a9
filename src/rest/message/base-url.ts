/** The address of this server as the client sees it, behind a proxy too. */
import type { Context as KoaContext } from 'koa'
import { headerOf } from './header.ts'

/** BASE_URL where configured, else from X-Forwarded-Proto/-Host/-Prefix or Host; without a trailing slash. */
export const baseUrlOf =
  (configured: string | undefined) =>
  (koa: KoaContext): string => {
    if (configured !== undefined) return configured
    const first = (name: string): string => (headerOf(koa, name)?.split(',')[0] ?? '').trim()
    const proto = first('x-forwarded-proto') === 'https' ? 'https' : 'http'
    const host = first('x-forwarded-host') || (headerOf(koa, 'host') ?? '')
    const prefix = first('x-forwarded-prefix').replace(/\/+$/, '')
    // Headers are the client's to choose: what is no host name is not echoed into links.
    const safeHost = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:]+\](:\d{1,5})?$/.test(host) ? host : 'localhost'
    return `${proto}://${safeHost}${/^(\/[\w.~-]+)*$/.test(prefix) ? prefix : ''}`
  }
