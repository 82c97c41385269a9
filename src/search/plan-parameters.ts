/** The search parameters that a search compares, and what each test is called in its query string. */
import { CALLED } from './canonical.ts'
import { CONTAINED, isInner } from './inner.ts'
import type { Condition, Include, SearchPlan } from './plan.ts'

/** `*`: every type, or every parameter of the type. */
interface PlanParameter {
  readonly type: string
  readonly param: string
}

export const planParameters = ({ types, where, sort, include }: SearchPlan): readonly PlanParameter[] => [
  ...types.flatMap((type) => [
    ...where.flatMap((condition) => usesOf(condition, type).flatMap(indexedParameter)),
    ...sort.flatMap((key) => ('param' in key ? [{ type, param: key.param }] : [])),
  ]),
  // A resource contained in any type may match.
  ...(types.some(isInner) ? [{ type: '*', param: CONTAINED }] : []),
  ...include.flatMap(({ source, param, canonical = [] }: Include) => [
    { type: source, param },
    ...canonical.map((type) => ({ type, param: CALLED })),
  ]),
]

/** Values stored beside those of a parameter, such as `code:text`, are indexed together with them. */
const indexedParameter = ({ type, param }: ConditionUse): readonly PlanParameter[] =>
  param === undefined ? [] : [{ type, param: param.split(':', 1)[0] ?? param }]

/** A look of a condition at one parameter of a type. */
interface ConditionUse {
  readonly type: string
  /** Absent for what every resource has: its id, its type, the time of its last update. */
  readonly param?: string
  /** As in the query string, such as `subject:Patient.name`; absent for the references that lead there. */
  readonly name?: string
}

/** @param type that is searched */
export function usesOf(condition: Condition, type: string): readonly ConditionUse[] {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return condition.of.flatMap((part) => usesOf(part, type))
    case 'not':
      return renamed(usesOf(condition.of, type), (name) => `${name}:not`)
    case 'unequal':
      return usesOf(condition.of, type)
    case 'chain': {
      const { param, types, where, canonical } = condition
      const link = types.length === 1 ? `${param}:${types[0]}` : param
      const there = types.flatMap((target) => [...byUrl(target, canonical), ...usesOf(where, target)])
      return [{ type, param }, ...renamed(there, (name) => `${link}.${name}`)]
    }
    case 'has': {
      const { type: from, param, where, canonical } = condition
      const there = renamed(usesOf(where, from), (name) => `_has:${from}:${param}:${name}`)
      return [...byUrl(type, canonical), { type: from, param }, ...there]
    }
    case 'missing':
      return [{ type, param: condition.param, name: `${condition.param}:missing` }]
    case 'string': {
      const { param, match } = condition
      return [{ type, param, name: match === 'contains' ? `${param}:contains` : param }]
    }
    case 'words':
    case 'token':
    case 'token-part':
    case 'reference':
    case 'uri':
    case 'date':
    case 'number':
    case 'quantity':
    case 'position':
    case 'composite':
      return [{ type, param: condition.param, name: condition.param }]
    case 'id':
    case 'type':
    case 'lastUpdated':
      return [{ type, name: `_${condition.kind}` }]
  }
}

/** The parameter by which a canonical reference finds what it names. */
const byUrl = (type: string, canonical: boolean | undefined): readonly ConditionUse[] =>
  canonical ? [{ type, param: CALLED }] : []

const renamed = (uses: readonly ConditionUse[], rename: (name: string) => string): readonly ConditionUse[] =>
  uses.map((use) => (use.name === undefined ? use : { ...use, name: rename(use.name) }))
