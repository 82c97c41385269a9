/** The routes beside FHIR's: each small router answers alone for all paths that begin with one of its segments. */
import type { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { FhirError, notFound } from '../../fhir/outcome.ts'
import { decodedSegment } from '../message/path-segment.ts'

export interface SmallRouter {
  /** First path segments. Errors below them are plain JSON, and the router decides what a client must present. */
  readonly segments: readonly string[]
  readonly middleware: Middleware
}

/**
 * Most requests are for none of the small routers, so each is only asked about its own paths; any other path or method
 * below them is 404 or 405.
 */
export function smallRouter(segments: readonly string[], router: Router): SmallRouter {
  const routes = router.routes() as Middleware
  return {
    segments,
    middleware: (koa, next) =>
      segments.includes(firstSegment(koa.path)) ? routes(koa, () => Promise.reject(noRoute(router, koa))) : next(),
  }
}

export const segmentsOf = (routers: readonly SmallRouter[]): ReadonlySet<string> =>
  new Set(routers.flatMap(({ segments }) => segments))

/** `/session/x` -> `session`, and `/%73ession/x` too */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return decodedSegment(path.slice(1, end < 0 ? undefined : end))
}

function noRoute(router: Router, { method, path }: KoaContext): FhirError {
  const methods = router.match(path, method).path.flatMap((layer) => layer.methods)
  if (methods.length === 0) return notFound(`There is nothing at ${method} ${path}`)
  const allow = [...new Set(methods)].join(', ')
  const diagnostics = `${method} ${path} is not supported; ${allow} may be`
  return new FhirError(405, { code: 'not-supported', diagnostics }, { allow })
}
