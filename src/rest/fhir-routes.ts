/** The FHIR routes, mounted from the CapabilityStatement: what it does not declare is not there. */
import Router from '@koa/router'
import type { CapabilityStatement, CapabilityStatementRest } from 'fhir/r4'
import type { Next } from 'koa'
import { carryOut, type FhirContext, type HttpServices } from './http.ts'
import { isServed, ROUTES, type Route } from './routes.ts'

export function fhirRoutes(statement: CapabilityStatement, services: HttpServices): Router {
  const router = new Router()
  const declared = new Set((statement.rest ?? []).flatMap(codesOf))
  const mounted = new Set<string>()
  for (const route of ROUTES) {
    // batch and transaction share one address; the bundle says which it is.
    const address = `${route.method} ${route.path}`
    if (!declared.has(keyOf(route)) || mounted.has(address)) continue
    mounted.add(address)
    router.register(route.path, [route.method.toLowerCase()], served(route, services))
  }
  return router
}

/** A route holds for every type; one that the type in the path does not offer is left to `notRouted`. */
function served(route: Route, services: HttpServices): (koa: FhirContext, next: Next) => Promise<unknown> {
  const answer = carryOut(route, services)
  return (koa, next) => {
    const { type = '', id = '' } = koa.params
    // `/Patient/_history` fits the path of a read, but `_history` is no id.
    const fits = !id.startsWith('_') && (route.level === 'system' || isServed(route, services.providers.get(type)))
    return fits ? answer(koa) : next()
  }
}

const keyOf = ({ code, level }: Route): string => (code === 'operation' || level !== 'system' ? code : `system:${code}`)

const codesOf = ({ interaction = [], resource = [] }: CapabilityStatementRest): readonly string[] => [
  ...interaction.map(({ code }) => `system:${code}`),
  ...resource.flatMap(({ interaction: ofType = [] }) => ofType.map(({ code }) => code)),
  ...(resource.some(({ operation = [] }) => operation.length > 0) ? ['operation'] : []),
]
