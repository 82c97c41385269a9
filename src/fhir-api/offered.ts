/**
 * The methods that the FHIR routes offer at an address, as the server declares them: for OPTIONS, and for requests that no
 * route matches, which are 405 where the address exists for other methods, else 404.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Operation } from '../core/operation.ts'
import { compartmentMembers } from '../fhir/compartments.ts'
import { type FhirError, notFound } from '../fhir/outcome.ts'
import { firstSegment, noRoute, notAllowed, routerOf, type SideRouter, type Unserved } from '../http/side-router.ts'
import { operationsAt } from './interactions/operation.ts'
import { isServed, matchRoute, type RouteMatch } from './interactions/routes.ts'
import { ALL_MEMBERS } from './interactions/search.ts'
import { PATCH_TYPES } from './message/http.ts'
import type { Method, Services } from './message/interaction.ts'

export const notRouted =
  (offer: Offer): Middleware =>
  (koa) => {
    throw unservedFhir(koa, offer) ?? notAllowed(koa, methodsAt(koa.path, offer))
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

export type Offer = Pick<Services, 'providers' | 'system' | 'systemOperations'>

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Whether there is an interaction or an operation at the address, even if this server does not offer it. */
const isAddress = (path: string, offer: Offer): boolean => matchesAt(path).some((match) => exists(match, offer))

/** The methods that a request to the address may have. */
const methodsAt = (path: string, offer: Offer): readonly Method[] =>
  matchesAt(path)
    .filter((match) => exists(match, offer) && isOffered(match, offer))
    .map(({ route }) => route.method)

const matchesAt = (path: string): readonly RouteMatch[] => METHODS.flatMap((method) => matchRoute(method, path) ?? [])

/**
 * Whether the variables of a route fit: its pattern takes any word as the code of an operation or the type in a
 * compartment.
 */
function exists(match: RouteMatch, offer: Offer): boolean {
  const { route, parameters } = match
  if (route.level !== 'system' && !offer.providers.has(parameters.type)) return false
  if (route.code === 'operation') return operationOf(match, offer) !== undefined
  return route.code !== 'search-compartment' || isMember(parameters)
}

function isOffered(match: RouteMatch, offer: Offer): boolean {
  const { route, parameters } = match
  const { code, level, method } = route
  if (code === 'operation') return isCallable(operationOf(match, offer), method)
  if (code === 'capabilities') return true
  // A batch shares the address of a transaction.
  if (code === 'transaction') return offer.system.has('transaction') || offer.system.has('batch')
  if (level === 'system') return [...offer.system].some((offered) => offered === code)
  return isServed(route, offer.providers.get(parameters.type))
}

function isCallable(operation: Operation | undefined, method: Method): boolean {
  if (method === 'DELETE') return operation?.cancel !== undefined
  return method === 'POST' || operation?.definition.affectsState !== true
}

const operationOf = ({ route, parameters }: RouteMatch, offer: Offer): Operation | undefined =>
  operationsAt(route.level, parameters, offer).find(({ code }) => code === parameters.operation)

function isMember({ type, member }: RouteMatch['parameters']): boolean {
  const members = compartmentMembers(type)
  return members !== undefined && (member === '' || member === ALL_MEMBERS || members.has(member))
}

/** The path of a question about the server as a whole. */
const SERVER = '*'

/** OPTIONS, without a token (https://www.rfc-editor.org/rfc/rfc9110#section-9.3.7): answers where something is served; elsewhere it is 404. */
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
