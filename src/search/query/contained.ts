/**
 * `_contained` and `_containedType`: whether a search finds contained resources, others or both, and what it returns
 * for the contained ones. https://hl7.org/fhir/R4/search.html#contained
 */
import { resourceTypes } from '../../fhir/definitions.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { CONTAINED, containedType } from '../inner.ts'
import type { Condition, SearchPlan } from '../plan.ts'
import type { ResultParameters } from './result-parameters.ts'

type Found = Pick<SearchPlan, 'types' | 'where'>

/** @throws FhirError 400 for a sort order that containers do not have */
export function withContained(
  { types, where, sort }: Found & Pick<SearchPlan, 'sort'>,
  { contained = 'false', containedType: returned = 'container' }: Pick<ResultParameters, 'contained' | 'containedType'>,
): Found {
  if (contained === 'false') return { types, where }
  if (returned === 'contained') {
    const within = types.map(containedType)
    return { types: contained === 'both' ? [...types, ...within] : within, where }
  }
  const valued = sort.find((key) => 'param' in key)
  if (valued !== undefined) {
    throw badRequest(
      `_sort: '${valued.param}' is a value of what is contained, and _containedType=container returns containers, of any ` +
        'type; sort by _id or _lastUpdated, or write _containedType=contained',
    )
  }
  const containing: Condition = { kind: 'chain', param: CONTAINED, types, where: { kind: 'all', of: where } }
  if (contained === 'true') return { types: resourceTypes, where: [containing] }
  const matching: Condition = { kind: 'all', of: [{ kind: 'type', types }, ...where] }
  return { types: resourceTypes, where: [{ kind: 'any', of: [matching, containing] }] }
}
