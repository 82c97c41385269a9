/** The routes beside FHIR's: each small router alone serves all paths that begin with one of its segments. */
import type { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { FhirError, notFound } from '../fhir/outcome.ts'

/** The 404 for an address at which nothing is served, whatever the method and the credentials. */
export type Unserved = (request: Pick<KoaContext, 'method' | 'path'>) => FhirError | undefined

export interface SideRouter {
  /**
   * First path segments. Errors below them are plain JSON, and the router decides what a client must present. Two segments,
   * `mcp/fhir`, are an address below that of another router, which serves the rest.
   */
  readonly segments: readonly string[]
  /** For the paths below them. */
  readonly middleware: Middleware
  /** The methods of the routes at an address below them. */
  readonly methodsAt: (path: string) => readonly string[]
  /** Errors are an OperationOutcome in FHIR JSON. */
  readonly isFhir?: boolean
}

/** Any other path or method below its segments is 404 or 405. */
export function sideRouter(segments: readonly string[], router: Router): SideRouter {
  const routes = router.routes() as Middleware
  const methodsAt = (path: string) => [...new Set(router.match(path, 'GET').path.flatMap(({ methods }) => methods))]
  return {
    segments,
    methodsAt,
    middleware: (koa) => routes(koa, () => Promise.reject(noRoute(koa, methodsAt(koa.path)))),
  }
}

/** Middleware by first segments. Most requests are for none of them, which a single lookup shows. */
export function bySegment(...all: readonly (readonly [Iterable<string>, Middleware])[]): Middleware {
  const found = new Map(
    all.flatMap(([segments, middleware]) => Array.from(segments, (segment) => [segment, middleware])),
  )
  return (koa, next) => {
    const middleware = found.get(firstSegment(koa.path))
    if (middleware === undefined) return next()
    return (found.get(twoSegments(koa.path)) ?? middleware)(koa, next)
  }
}

/** Whether the path of a request is below a first segment. */
export const isBelow =
  (segment: string): ((koa: KoaContext) => boolean) =>
  ({ path }) =>
    path.startsWith(`/${segment}/`)

/** One of two stages: for the few requests for which `isFor` holds, and for the others. */
export const either =
  (isFor: (koa: KoaContext) => boolean, forFew: Middleware, forOthers: Middleware): Middleware =>
  (koa, next) =>
    isFor(koa) ? forFew(koa, next) : forOthers(koa, next)

/** Ends the requests for which `isFor` holds once the stages behind it have ended. */
export const afterwards =
  (isFor: (koa: KoaContext) => boolean, end: (koa: KoaContext, failure?: Failure) => Promise<void>): Middleware =>
  async (koa, next) => {
    let failure: Failure | undefined
    try {
      await next()
    } catch (error) {
      failure = { error }
    }
    if (isFor(koa)) await end(koa, failure)
    else if (failure !== undefined) throw failure.error
  }

/** The error with which the stages of a request have ended. */
export interface Failure {
  readonly error: unknown
}

/** The router whose address it is. */
export const routerOf = (routers: readonly SideRouter[], path: string): SideRouter | undefined =>
  [twoSegments(path), firstSegment(path)]
    .map((segment) => routers.find(({ segments }) => segments.includes(segment)))
    .find((router) => router !== undefined)

export const segmentsOf = (routers: readonly SideRouter[]): ReadonlySet<string> =>
  new Set(routers.flatMap(({ segments }) => segments))

/** The first path segments below which errors are `{"error": …}`, and those below which they are FHIR JSON whatever is accepted. */
export interface ErrorFormats {
  readonly plain: ReadonlySet<string>
  readonly json: ReadonlySet<string>
}

export const errorFormats = (routers: readonly SideRouter[]): ErrorFormats => ({
  plain: segmentsOf(routers.filter(({ isFhir }) => isFhir !== true)),
  json: segmentsOf(routers.filter(({ isFhir }) => isFhir === true)),
})

/** `/session/x` -> `session`, and `/%73ession/x` too */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return decodedSegment(path.slice(1, end < 0 ? undefined : end))
}

/** `/mcp/fhir/x` -> `mcp/fhir`; the first segment where there is only one */
const twoSegments = (path: string): string => path.split('/', 3).slice(1).map(decodedSegment).join('/')

/** A segment of a path as it is compared: percent-encoded octets stand for themselves (RFC 3986, 6.2.2.2). */
export function decodedSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** @param methods of the routes at the address */
export function noRoute({ method, path }: Pick<KoaContext, 'method' | 'path'>, methods: readonly string[]): FhirError {
  if (methods.length === 0) return notFound(`There is nothing at ${method} ${path}`)
  return notAllowed({ method, path }, methods)
}

/** 405. An empty Allow header says that no method is allowed: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.1. */
export function notAllowed(
  { method, path }: Pick<KoaContext, 'method' | 'path'>,
  methods: readonly string[],
  why = '',
): FhirError {
  const allow = methods.join(', ')
  const diagnostics = `${method} is not allowed at ${path}${why}; allowed: ${allow || 'no method'}`
  return new FhirError(405, { code: 'not-supported', diagnostics }, { allow })
}

/** Middleware for one method. */
export const onlyFor =
  (method: string, middleware: Middleware): Middleware =>
  (koa, next) =>
    koa.method === method ? middleware(koa, next) : next()

/**
 * Each begins within the one before it. Unlike with koa-compose, one that is done at once makes no promise: what it throws, it
 * throws, and the first one that waits for the others catches it.
 */
export const inOrder = (...middleware: readonly Middleware[]): Middleware =>
  middleware.reduceRight<Middleware>(
    (rest, first) => (koa, next) => first(koa, () => rest(koa, next)),
    (_koa, next) => next(),
  )
