/** The FHIR routes, as the CapabilityStatement declares them: nothing else is served. */
import type { CapabilityStatement, CapabilityStatementRest } from 'fhir/r4'
import type { Middleware } from 'koa'
import { answerRoute, type HttpServices } from './http.ts'
import { isServed, matchRoute, ROUTES } from './interactions/routes.ts'
import type { Route } from './message/interaction.ts'

export function fhirRoutes(statement: CapabilityStatement, services: HttpServices): Middleware {
  const declared = new Set((statement.rest ?? []).flatMap(codesOf))
  // batch and transaction share one address; the Bundle says which it is.
  const answers = new Map(
    ROUTES.filter((route) => declared.has(keyOf(route))).map((route) => [
      addressOf(route),
      answerRoute(route, services),
    ]),
  )
  return (koa, next) => {
    const match = matchRoute(koa.method === 'HEAD' ? 'GET' : koa.method, koa.path)
    const answer = match && answers.get(addressOf(match.route))
    if (match === undefined || answer === undefined) return next()
    const { route, parameters } = match
    // A route exists for every type; where the type in the path does not offer it, `notRouted` responds.
    if (route.level !== 'system' && !isServed(route, services.providers.get(parameters.type))) return next()
    // The route as a fault is logged: the pattern, which has no ids.
    koa._matchedRoute = route.path
    return answer(koa, parameters)
  }
}

const addressOf = ({ method, path }: Route): string => `${method} ${path}`

const keyOf = ({ code, level }: Route): string => (code === 'operation' || level !== 'system' ? code : `system:${code}`)

const codesOf = ({ interaction = [], resource = [], compartment = [] }: CapabilityStatementRest): readonly string[] => [
  ...interaction.map(({ code }) => `system:${code}`),
  ...resource.flatMap(({ interaction: ofType = [] }) => ofType.flatMap(({ code = [] }) => code)),
  ...(compartment.length > 0 ? ['search-compartment'] : []),
  ...(resource.some(({ operation = [] }) => operation.length > 0) ? ['operation'] : []),
]
