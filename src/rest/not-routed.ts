/** What no route took: 405 where another method would have worked, else 404. */
import type { Middleware } from 'koa'
import { FhirError, notFound } from '../fhir/outcome.ts'
import type { Provider } from '../providers/provider.ts'
import { type Method, matchRoute } from './routes.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const notRouted =
  (providers: ReadonlyMap<string, Provider>): Middleware =>
  (koa) => {
    const { method, path } = koa
    const [type = ''] = path.split('/').filter((segment) => segment !== '')
    if (/^[A-Za-z]/.test(type) && !providers.has(type))
      throw notFound(`There is nothing at ${method} /${type}: it is no resource type of FHIR R4`)
    const allowed = METHODS.filter((candidate) => matchRoute(candidate, path) !== undefined)
    if (allowed.length === 0) throw notFound(`There is no interaction at ${method} ${path}`)
    throw new FhirError(
      405,
      { code: 'not-supported', diagnostics: `${method} is not possible on ${path}; ${allowed.join(', ')} may be` },
      { allow: allowed.join(', ') },
    )
  }
