/** Which search parameters of which types a plan uses. */
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
  ...include.map(({ source, param }: Include) => ({ type: source, param })),
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
        ...condition.types.flatMap((target) => conditionParameters(condition.where, target)),
      ]
    case 'has':
      return [parameter(condition.type, condition.param), ...conditionParameters(condition.where, condition.type)]
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

/** What is stored beside the values of a parameter, as `code:text`, is indexed with them. */
const parameter = (type: string, param: string): PlanParameter => ({ type, param: param.split(':', 1)[0] ?? param })
