/** Requests that no route matches: 405 where the address exists for other methods, else 404. */
import type { Middleware } from 'koa'
import type { Provider } from '../core/provider.ts'
import { FhirError, notFound } from '../fhir/outcome.ts'
import { isServed, matchRoute } from './interactions/routes.ts'
import type { Method } from './message/interaction.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const notRouted =
  (providers: ReadonlyMap<string, Provider>): Middleware =>
  (koa) => {
    const { method, path } = koa
    // Served before authentication, and no interaction of a type.
    if (path === '/metadata') throw notAllowed(`${method} ${path}`, ['GET'])
    const [type = ''] = path.split('/').filter((segment) => segment !== '')
    if (/^[A-Za-z]/.test(type) && !providers.has(type))
      throw notFound(`There is nothing at ${method} /${type}: it is no resource type of FHIR R4`)
    const routes = METHODS.flatMap((candidate) => matchRoute(candidate, path)?.route ?? [])
    if (routes.length === 0) throw notFound(`There is no interaction at ${method} ${path}`)
    const offered = routes.filter((route) => route.level === 'system' || isServed(route, providers.get(type)))
    throw notAllowed(
      `${method} ${path}`,
      offered.map((route) => route.method),
    )
  }

/** An empty Allow header says that no method is allowed: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.1. */
function notAllowed(asked: string, allowed: readonly Method[]): FhirError {
  const offer = allowed.length === 0 ? 'nothing is, at this address' : `${allowed.join(', ')} may be`
  const diagnostics = `${asked} is not supported; ${offer} (see /metadata)`
  return new FhirError(405, { code: 'not-supported', diagnostics }, { allow: allowed.join(', ') })
}
