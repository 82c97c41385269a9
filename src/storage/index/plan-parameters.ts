/** The search parameters that a plan uses, with their types. */
import { CALLED } from '../../search/canonical.ts'
import { CONTAINED, isInner } from '../../search/inner.ts'
import type { Condition, Include, SearchPlan } from '../../search/plan.ts'

/** `*`: every type, or every parameter of the type. */
export interface PlanParameter {
  readonly type: string
  readonly param: string
}

export const planParameters = ({ types, where, sort, include }: SearchPlan): readonly PlanParameter[] => [
  ...types.flatMap((type) => [
    ...where.flatMap((condition) => conditionParameters(condition, type)),
    ...sort.flatMap((key) => ('param' in key ? [{ type, param: key.param }] : [])),
  ]),
  // A resource contained in any type may match.
  ...(types.some(isInner) ? [{ type: '*', param: CONTAINED }] : []),
  ...include.flatMap(({ source, param, canonical = [] }: Include) => [
    { type: source, param },
    ...canonical.map((type) => ({ type, param: CALLED })),
  ]),
]

function conditionParameters(condition: Condition, type: string): readonly PlanParameter[] {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return condition.of.flatMap((part) => conditionParameters(part, type))
    case 'not':
    case 'unequal':
      return conditionParameters(condition.of, type)
    case 'chain':
      return [
        parameter(type, condition.param),
        ...condition.types.flatMap((target) => [
          ...(condition.canonical ? [{ type: target, param: CALLED }] : []),
          ...conditionParameters(condition.where, target),
        ]),
      ]
    case 'has':
      return [
        ...(condition.canonical ? [{ type, param: CALLED }] : []),
        parameter(condition.type, condition.param),
        ...conditionParameters(condition.where, condition.type),
      ]
    case 'string':
    case 'words':
    case 'token':
    case 'reference':
    case 'uri':
    case 'date':
    case 'number':
    case 'quantity':
    case 'position':
    case 'composite':
    case 'missing':
      return [parameter(type, condition.param)]
    case 'id':
    case 'type':
    case 'lastUpdated':
      return []
  }
}

/** Values stored beside those of a parameter, such as `code:text`, are indexed together with them. */
const parameter = (type: string, param: string): PlanParameter => ({ type, param: param.split(':', 1)[0] ?? param })
