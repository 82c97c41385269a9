/** The interactions that the FHIR routes offer at an address, as the server declares them. */

import type { Operation } from '../../core/operation.ts'
import { compartmentMembers } from '../../fhir/compartments.ts'
import type { Method, Services } from '../message/interaction.ts'
import { ALL_MEMBERS } from './compartment.ts'
import { operationsAt } from './operation.ts'
import { isServed, matchRoute, type RouteMatch } from './routes.ts'

export type Offer = Pick<Services, 'providers' | 'system' | 'systemOperations'>

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Whether there is an interaction or an operation at the address, even if this server does not offer it. */
export const isAddress = (path: string, offer: Offer): boolean => matchesAt(path).some((match) => exists(match, offer))

/** The methods that a request to the address may have. */
export const methodsAt = (path: string, offer: Offer): readonly Method[] =>
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
