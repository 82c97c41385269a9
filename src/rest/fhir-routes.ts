/** The FHIR routes, mounted from the CapabilityStatement: what it does not declare is not there. */
import Router from '@koa/router'
import type { CapabilityStatement } from 'fhir/r4'
import { carryOut, type HttpServices } from './http.ts'
import { ROUTES, type Route } from './routes.ts'

export function fhirRoutes(statement: CapabilityStatement, services: HttpServices): Router {
  const router = new Router()
  const declared = declaredCodes(statement)
  const mounted = new Set<string>()
  for (const route of ROUTES) {
    // batch and transaction share one address; the bundle says which it is.
    const address = `${route.method} ${route.path}`
    if (!declared.has(keyOf(route)) || mounted.has(address)) continue
    mounted.add(address)
    router.register(route.path, [route.method.toLowerCase()], carryOut(route, services))
  }
  return router
}

const keyOf = ({ code, level }: Route): string =>
  code === 'operation' ? code : level === 'system' ? `system:${code}` : code

function declaredCodes(statement: CapabilityStatement): ReadonlySet<string> {
  const codes = new Set<string>()
  for (const rest of statement.rest ?? []) {
    for (const { code } of rest.interaction ?? []) codes.add(`system:${code}`)
    for (const resource of rest.resource ?? []) {
      for (const { code } of resource.interaction ?? []) codes.add(code)
      if ((resource.operation ?? []).length > 0) codes.add('operation')
    }
  }
  return codes
}
