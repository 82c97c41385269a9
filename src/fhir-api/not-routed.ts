/** Requests that no route matches: 405 where the address exists for other methods, else 404. */
import type { Context as KoaContext, Middleware } from 'koa'
import { FhirError, notFound } from '../fhir/outcome.ts'
import { firstSegment, noRoute, routerOf, type SideRouter, type Unserved } from '../http/side-router.ts'
import { isAddress, methodsAt, type Offer } from './interactions/offered.ts'
import type { Method } from './message/interaction.ts'

export const notRouted =
  (offer: Offer): Middleware =>
  (koa) => {
    const { method, path } = koa
    throw unservedFhir(koa, offer) ?? notAllowed(`${method} ${path}`, methodsAt(path, offer))
  }

/** Over all addresses of the server: those of FHIR, and those of the routers beside it. */
export const unservedAt =
  (offer: Offer, routers: readonly SideRouter[]): Unserved =>
  (request) => {
    const methods = routerOf(routers, request.path)?.methodsAt(request.path)
    if (methods === undefined) return unservedFhir(request, offer)
    return methods.length === 0 ? noRoute(request, methods) : undefined
  }

function unservedFhir({ method, path }: Pick<KoaContext, 'method' | 'path'>, offer: Offer): FhirError | undefined {
  if (isAddress(path, offer)) return undefined
  const type = firstSegment(path)
  return /^[A-Za-z]/.test(type) && !offer.providers.has(type)
    ? notFound(`There is nothing at ${method} /${type}: it is no resource type of FHIR R4`)
    : notFound(`There is no interaction at ${method} ${path}`)
}

/** An empty Allow header says that no method is allowed: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.1. */
function notAllowed(asked: string, allowed: readonly Method[]): FhirError {
  const offer = allowed.length === 0 ? 'no method is, at this address' : `allowed: ${allowed.join(', ')}`
  const diagnostics = `${asked} is not allowed; ${offer} (see /metadata)`
  return new FhirError(405, { code: 'not-supported', diagnostics }, { allow: allowed.join(', ') })
}
