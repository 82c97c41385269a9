/**
 * CORS (https://fetch.spec.whatwg.org/#http-cors-protocol): which pages of other origins may use this server from a
 * browser. They send their token in a header, so no credentials of the browser are ever allowed.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import { forbidden } from './authenticate.ts'
import { headerOf } from './headers.ts'

/**
 * Headers beyond those that any page may read (https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name).
 */
const READABLE =
  'Allow, Content-Disposition, Content-Range, ETag, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, ' +
  'X-Correlation-Id, X-Request-Id, X-Sandbox-Fault'

/**
 * All methods: where an address does not accept one, the response to the request itself says so, and the page can read
 * it.
 */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'

/** Seconds that a browser may cache the response to a preflight; browsers have limits of their own. */
const REMEMBERED = '7200'

const ANY = '*'

/** @param origins as Config.corsOrigins */
export function cors(origins: readonly string[]): Middleware {
  const allowed = new Set(origins)
  const answerOrigin = (koa: KoaContext): string | undefined => {
    const origin = headerOf(koa, 'origin')
    if (origin === undefined) return undefined
    if (allowed.has(ANY)) return ANY
    return allowed.has(origin) ? origin : undefined
  }
  return async (koa, next) => {
    const origin = answerOrigin(koa)
    if (origin !== undefined && isPreflight(koa)) answerPreflight(koa)
    else await next()
    if (!allowed.has(ANY)) koa.vary('Origin')
    if (origin === undefined) return
    koa.set('Access-Control-Allow-Origin', origin)
    koa.set('Access-Control-Expose-Headers', READABLE)
  }
}

const isPreflight = (koa: KoaContext): boolean =>
  koa.method === 'OPTIONS' && headerOf(koa, 'access-control-request-method') !== undefined

/** The browser asks on its own, without the token of the page. */
function answerPreflight(koa: KoaContext): void {
  const asked = headerOf(koa, 'access-control-request-headers')
  koa.status = 204
  koa.set('Access-Control-Allow-Methods', METHODS)
  koa.set('Access-Control-Max-Age', REMEMBERED)
  if (asked !== undefined) koa.set('Access-Control-Allow-Headers', asked)
}

/** Pages of the machine on which the server runs, at any port. */
const OF_THIS_MACHINE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Refuses pages that are not known. CORS alone does not keep them away: a site can let its own name lead to this server, and to a
 * browser its page is then one of this server (DNS rebinding).
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 * @param origins as Config.corsOrigins
 * @throws FhirError 403
 */
export function requireKnownOrigin(koa: KoaContext, origins: readonly string[]): void {
  const origin = headerOf(koa, 'origin')
  if (origin === undefined || OF_THIS_MACHINE.test(origin) || origins.includes(origin) || origins.includes(ANY)) return
  throw forbidden(`Pages of ${origin.slice(0, 100)} may not use this address; CORS_ORIGINS names those that may`)
}
