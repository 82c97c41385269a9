/** OPTIONS: which requests an address takes, without a token (https://www.rfc-editor.org/rfc/rfc9110#section-9.3.7). */
import type { Context as KoaContext } from 'koa'
import { routerOf, type SideRouter } from '../http/side-router.ts'
import { methodsAt, type Offer } from './interactions/offered.ts'
import { PATCH_TYPES } from './message/http.ts'
import { unservedAt } from './not-routed.ts'

/** The path of a question about the server as a whole. */
const SERVER = '*'
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Answers where something is served; elsewhere it is 404. */
export function options(offer: Offer, routers: readonly SideRouter[]): (koa: KoaContext) => void {
  const unserved = unservedAt(offer, routers)
  const methodsOf = (path: string): readonly string[] =>
    path === SERVER ? METHODS : (routerOf(routers, path)?.methodsAt(path) ?? methodsAt(path, offer))
  return (koa) => {
    const { path } = koa
    const error = path === SERVER ? undefined : unserved(koa)
    if (error !== undefined) throw error
    const methods = methodsOf(path)
    koa.status = 204
    koa.set('Allow', allowing(methods))
    // https://www.rfc-editor.org/rfc/rfc5789#section-3.1
    if (methods.includes('PATCH')) koa.set('Accept-Patch', [...PATCH_TYPES.keys()].join(', '))
  }
}

const allowing = (methods: readonly string[]): string =>
  [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', ')
