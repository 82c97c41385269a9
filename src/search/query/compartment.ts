/** The condition of a search within a compartment: https://hl7.org/fhir/R4/compartmentdefinition.html. */
import { type CompartmentMembers, ITSELF } from '../../fhir/compartments.ts'
import type { Condition } from '../plan.ts'
import { any } from '../value.ts'

/** The resource that defines the compartment. */
interface Center {
  readonly type: string
  readonly id: string
}

/** A condition that holds for the members of the compartment, which each type determines by its own parameters. */
export function inCompartment(center: Center, membership: CompartmentMembers): Condition {
  const groups = [...Map.groupBy(membership, ([, params]) => params.join()).values()]
  const conditions = groups.map((group): Condition => {
    const types = group.map(([type]) => type)
    const params = group[0]?.[1] ?? []
    return { kind: 'all', of: [{ kind: 'type', types }, any(params.map((param) => refersTo(center, param)))] }
  })
  return any(conditions)
}

const refersTo = ({ type, id }: Center, param: string): Condition =>
  param === ITSELF ? { kind: 'id', ids: [id] } : { kind: 'reference', param, type, id }
