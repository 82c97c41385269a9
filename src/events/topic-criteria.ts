/** Criteria of topics: searches that are decided from one version of a resource, in any clinic. */
import { isResourceType } from '../fhir/definitions.ts'
import { unprocessable } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { type Candidate, leavesResource, matches } from '../search/matches.ts'
import { parseCriteria } from '../search/query/parse.ts'

/** A version of a resource, with the values that it is searched by. */
export interface TopicVersion extends Candidate {
  readonly resource: AnyResource
}

/** Whether a version meets the criteria. */
export type Criteria = (version: Candidate) => boolean

/**
 * Compiles `status=booked` for versions of a type.
 * @throws FhirError 400 for a query that no search would take, 422 for one that the resource alone does not decide
 */
export function topicCriteria(type: string, query: string): Criteria {
  const { where } = parseCriteria(type, query, {
    ...{ clinic: '', baseUrl: '', now: 0, machineTime: 0 },
    lookUp: ({ name }) => {
      throw undecided(query, `${name} stands for values that are looked up elsewhere`)
    },
  })
  if (where.some(leavesResource)) throw undecided(query, 'chains, _has and _list depend on other resources')
  return (version) => where.every((condition) => matches(condition, version))
}

const undecided = (query: string, why: string) =>
  unprocessable(`The criteria '${query}' cannot be decided from the resource alone: ${why}`)

/** The addresses `Type/id` to which a version refers by a search parameter, on this server. */
export const referencesBy = ({ entries }: Pick<Candidate, 'entries'>, parameter: string): readonly string[] =>
  entries.flatMap((entry) =>
    entry.kind === 'reference' && entry.param === parameter && isResourceType(entry.type)
      ? [`${entry.type}/${entry.id}`]
      : [],
  )
