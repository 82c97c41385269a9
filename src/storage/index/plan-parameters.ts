/** Which search parameters of which types a plan uses. */
import type { Condition, Include, SearchPlan } from '../../search/plan.ts'

/** `*`: every type, or every parameter of the type. */
export interface Use {
  readonly type: string
  readonly param: string
}

export const usesOf = ({ types, where, sort, include }: SearchPlan): readonly Use[] => [
  ...types.flatMap((type) => [
    ...where.flatMap((condition) => usesOfCondition(condition, type)),
    ...sort.flatMap((key) => ('param' in key ? [{ type, param: key.param }] : [])),
  ]),
  ...include.map(({ source, param }: Include) => ({ type: source, param })),
]

function usesOfCondition(condition: Condition, type: string): readonly Use[] {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return condition.of.flatMap((part) => usesOfCondition(part, type))
    case 'not':
    case 'unequal':
      return usesOfCondition(condition.of, type)
    case 'chain':
      return [
        use(type, condition.param),
        ...condition.types.flatMap((target) => usesOfCondition(condition.where, target)),
      ]
    case 'has':
      return [use(condition.type, condition.param), ...usesOfCondition(condition.where, condition.type)]
    case 'id':
    case 'type':
    case 'lastUpdated':
      return []
    case 'string':
    case 'token':
    case 'reference':
    case 'uri':
    case 'date':
    case 'number':
    case 'quantity':
    case 'position':
    case 'composite':
    case 'missing':
      return [use(type, condition.param)]
  }
}

/** What is stored beside the values of a parameter, as `code:text`, is made with them. */
const use = (type: string, param: string): Use => ({ type, param: param.split(':', 1)[0] ?? param })
