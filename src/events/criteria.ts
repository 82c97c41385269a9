/**
 * Criteria of R4: a type and a query, as a condition on one resource alone, so that a change can be matched without a search.
 * https://hl7.org/fhir/R4/subscription.html
 */
import type { Context } from '../core/context.ts'
import { ownConditions } from '../core/search-request.ts'
import { isResourceType } from '../fhir/definitions.ts'
import { oncePer } from '../fhir/memoize.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { type Candidate, leavesResource, matches } from '../search/matches.ts'
import type { Condition } from '../search/plan.ts'
import type { CompiledMatcher, MatchableVersion } from './resource-event.ts'

const EXPRESSION = 'Subscription.criteria'

const refused = (diagnostics: string): FhirError => unprocessable(diagnostics, { expression: EXPRESSION })

/** Types without events: what they record would cause further events, or is not for everybody who may subscribe. */
const WITHOUT_EVENTS = ['AuditEvent', 'Subscription']

/** Parts of conditions at most: each change of the type is compared with all of them. */
const MOST_PARTS = 100

/** @throws FhirError 422 for criteria that are malformed, too many, or not decided by the resource alone */
export async function compileCriteria(ctx: Context, criteria: string): Promise<CompiledMatcher> {
  const { type, query } = partsOf(criteria)
  const conditions = query === '' ? [] : await conditionsWithin(ctx, type, query)
  return {
    types: [type],
    asksPrevious: false,
    // R4: "there is no notification when a resource is deleted".
    match: ({ current }) => (current !== undefined && meets(conditions, current) ? {} : undefined),
  }
}

export const meets = (conditions: readonly Condition[], version: MatchableVersion): boolean =>
  conditions.every((condition) => holds(condition, version))

/** A version by each parameter that it has entries of, for the hundreds of conditions that it may be compared with. */
const byParameter = oncePer((version: MatchableVersion) => {
  const entries = Map.groupBy(version.entries, ({ param }) => param)
  return new Map(Array.from(entries, ([param, own]): [string, Candidate] => [param, { ...version, entries: own }]))
})

/** Compares a condition on one parameter with the entries of that alone. */
function holds(condition: Condition, version: MatchableVersion): boolean {
  if (condition.kind === 'any') return condition.of.some((part) => holds(part, version))
  if (condition.kind === 'all') return condition.of.every((part) => holds(part, version))
  if (!('param' in condition)) return matches(condition, version)
  return matches(condition, byParameter(version).get(condition.param) ?? { ...version, entries: [] })
}

function partsOf(criteria: string): { readonly type: string; readonly query: string } {
  const [type = '', ...rest] = criteria.trim().split('?')
  if (!isResourceType(type))
    throw refused(`The criteria '${criteria}' must begin with a resource type of R4: 'Observation?code=1975-2'`)
  if (WITHOUT_EVENTS.includes(type)) throw refused(`There are no notifications of changes of ${type}`)
  return { type, query: rest.join('?') }
}

/** @throws FhirError 422 for conditions that are malformed, too many, or not decided by the resource alone */
export async function conditionsWithin(ctx: Context, type: string, query: string): Promise<readonly Condition[]> {
  const conditions = await conditionsOf(ctx, type, query)
  checkParts(conditions)
  return conditions
}

async function conditionsOf(ctx: Context, type: string, query: string): Promise<readonly Condition[]> {
  const related = [...new URLSearchParams(query).keys()].find((name) => isRelated(name))
  if (related !== undefined) throw undecided(related)
  if ([...new URLSearchParams(query).values()].some((value) => /(^|,)ap\d/.test(value)))
    throw refused(`A prefix 'ap' in the criteria compares with the time of the search; name the bounds with ge and le`)
  try {
    return await ownConditions(ctx, type, query)
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500) throw error
    throw new FhirError(
      422,
      error.issues.map((issue) => ({ ...issue, expression: EXPRESSION })),
    )
  }
}

/** True for the name of a chain, and of a search by others that refer to the resource. */
const isRelated = (name: string): boolean => name.includes('.') || name.startsWith('_has') || name === '_list'

const undecided = (what: string): FhirError =>
  refused(`The criteria have ${what}, which other resources decide; use parameters of the resource itself`)

/** @throws FhirError 422 for more than each change may be compared with, or what another resource decides */
export function checkParts(conditions: readonly Condition[]): void {
  const parts = conditions.flatMap(partsWithin)
  if (conditions.some(leavesResource)) throw undecided('a condition on another resource')
  if (parts.length > MOST_PARTS)
    throw refused(`The criteria have ${parts.length} conditions and values; a Subscription may have ${MOST_PARTS}`)
}

function partsWithin(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return condition.of.flatMap(partsWithin)
    case 'not':
    case 'unequal':
      return partsWithin(condition.of)
    default:
      return [condition]
  }
}
