/**
 * Search in a compartment: `GET /Patient/123/Observation?code=…`, and `GET /Patient/123/*` for every type in it.
 * https://hl7.org/fhir/R4/http.html#vsearch
 */

import { handlerOf } from '../../core/provider.ts'
import { type CompartmentMembers, compartmentMembers, compartmentTypes } from '../../fhir/compartments.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { type FhirError, notFound } from '../../fhir/outcome.ts'
import { inCompartment } from '../../search/query/compartment.ts'
import type { InteractionHandler, Services } from '../message/interaction.ts'
import { requestedSearch, searchset } from './search.ts'

/** Stands for every type in a compartment. */
export const ALL_MEMBERS = '*'

export const searchCompartment: InteractionHandler = async (ctx, request) => {
  const { type, id, services } = request
  const member = request.member || ALL_MEMBERS
  const members = membersFor(type, member, services)
  const handler = member === ALL_MEMBERS ? undefined : handlerOf(services.providers, member, 'search-type')
  const search = await requestedSearch(ctx, [...members.keys()], request, inCompartment({ type, id }, members))
  const { asked } = search.plan
  const plan = {
    ...search.plan,
    ...(asked === undefined ? {} : { asked: `${type}/${id} ${asked}` }),
  }
  const answer = await (handler === undefined ? ctx.unit.search(plan) : handler(ctx, plan))
  return searchset(request, { ...search, plan }, answer, `${type}/${id}/${member}`)
}

/** The types that are searched. @throws FhirError 404 for a type without a compartment, or one that is not in it */
function membersFor(type: string, member: string, { providers }: Services): CompartmentMembers {
  const membership = compartmentMembers(type)
  if (membership === undefined) throw noCompartment(type)
  if (member === ALL_MEMBERS) {
    return new Map([...membership].filter(([one]) => providers.get(one)?.interactions['search-type'] !== undefined))
  }
  const params = membership.get(member)
  if (params === undefined) throw noMember(type, member, membership)
  return new Map([[member, params]])
}

const noCompartment = (type: string): FhirError =>
  notFound(`${type} has no compartment to search in; these have: ${compartmentTypes.join(', ')}`)

function noMember(type: string, member: string, membership: CompartmentMembers): FhirError {
  const problem = isResourceType(member)
    ? `${member} is not in the compartment of a ${type}`
    : `There is no resource type '${member}'`
  return notFound(`${problem}; search for *, or one of ${[...membership.keys()].join(', ')}`)
}
