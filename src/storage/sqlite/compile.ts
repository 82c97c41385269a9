/**
 * Compiles a search condition by looking up its names: the result consists of tables, parameter numbers and
 * comparisons. A name that was never written cannot match, so it becomes `never` before any SQL is built.
 */

import { CALLED, canonicalParam } from '../../search/canonical.ts'
import { INNER_ID, innerTypes, innerTypesOf, isInner, resourceTypeOf } from '../../search/inner.ts'
import type { Condition, Equality } from '../../search/plan.ts'
import { type Alternatives, alternativesOf, type Of } from '../conditions.ts'
import type { Engine } from './engine.ts'
import {
  compositeTerm,
  partTerm,
  positionTerm,
  presence,
  quantityTerm,
  rangeTerm,
  referenceTerm,
  rowsOfTarget,
  stringTerm,
  tokenTerm,
  unequalTerm,
  updatedWithin,
  uriTerm,
  wordsTerm,
} from './entry-terms.ts'
import { withCovered } from './index-entries.ts'
import { isOneOf, sql } from './sql.ts'
import { ADDRESSES, allOf, anyOf, type ChainTarget, NEVER, notOf, type Scope, type Term } from './term.ts'

export function compile(engine: Engine, scope: Scope, condition: Condition): Term {
  switch (condition.kind) {
    case 'any':
      return anyOf(alternativesOf(condition.of).map((group) => compileGroup(engine, scope, group)))
    case 'all':
      return allOf(condition.of.map((part) => compile(engine, scope, part)))
    case 'not':
      return notOf(compile(engine, scope, condition.of))
    case 'string':
      return eachParam(engine, scope, condition.param, (param) => stringTerm(engine, scope, { ...condition, param }))
    case 'words':
      return wordsTerm(engine, scope, condition)
    case 'token':
      return eachParam(engine, scope, condition.param, (param) => equalTerm(engine, scope, { ...condition, param }))
    case 'token-part':
      return eachParam(engine, scope, condition.param, (param) => partTerm(engine, scope, { ...condition, param }))
    case 'reference':
    case 'uri':
      return equalTerm(engine, scope, condition)
    case 'unequal':
      return eachParam(engine, scope, condition.of.param, (param) => {
        const of = { ...condition.of, param }
        return unequalTerm(engine, scope, of, equalTerm(engine, scope, of))
      })
    case 'date':
    case 'number':
      return rangeTerm(engine, scope, condition)
    case 'quantity':
      return quantityTerm(engine, scope, condition)
    case 'position':
      return positionTerm(engine, scope, condition)
    case 'composite':
      return compositeTerm(engine, scope, condition)
    case 'missing': {
      const present = eachParam(engine, scope, condition.param, (param) => anyOf(presence(engine, scope, param)))
      return condition.missing ? notOf(present) : present
    }
    case 'id':
      return idTerm(engine, scope, condition.ids)
    case 'type':
      return condition.types.includes(resourceTypeOf(scope.typeName)) ? allOf([]) : NEVER
    case 'lastUpdated':
      return { op: 'resource', index: 'resource_by_updated', matches: (x) => updatedWithin(x, condition.bounds) }
    case 'chain':
      return chainTerm(engine, scope, condition)
    case 'has':
      return hasTerm(engine, scope, condition)
  }
}

/** The ids of contained resources are indexed as values, since their own id includes that of the container. */
function idTerm(engine: Engine, scope: Scope, ids: readonly string[]): Term {
  if (isInner(scope.typeName)) {
    return anyOf(ids.map((id) => uriTerm(engine, scope, { kind: 'uri', param: INNER_ID, match: 'exact', value: id })))
  }
  return { op: 'resource', index: 'resource_by_id', matches: (x) => isOneOf(sql`${x}.id`, ids) }
}

/** Values of `code` may be stored as rows of a parameter that it covers. */
const eachParam = ({ covered }: Engine, { typeName }: Scope, code: string, termOf: (param: string) => Term): Term =>
  anyOf(withCovered(covered, typeName, code).map(termOf))

function equalTerm(engine: Engine, scope: Scope, condition: Equality): Term {
  switch (condition.kind) {
    case 'token': {
      const { param, system, code } = condition
      return tokenTerm(engine, scope, param, system, code === undefined ? undefined : [code])
    }
    case 'reference':
      return referenceTerm(engine, scope, condition, rowsOfTarget(engine, scope, condition))
    case 'uri':
      return uriTerm(engine, scope, condition)
  }
}

function compileGroup(engine: Engine, scope: Scope, group: Alternatives): Term {
  switch (group.kind) {
    case 'tokens': {
      const { first, codes } = group
      return eachParam(engine, scope, first.param, (param) => tokenTerm(engine, scope, param, first.system, codes))
    }
    case 'references': {
      const rows = group.all.flatMap((condition) => rowsOfTarget(engine, scope, condition))
      return referenceTerm(engine, scope, group.first, rows)
    }
    case 'parts':
      return anyOf(group.values.map((value) => compile(engine, scope, { ...group.first, value })))
    case 'one':
      return compile(engine, scope, group.condition)
  }
}

function chainTerm(engine: Engine, scope: Scope, condition: Of<'chain'>): Term {
  const { param: code, types, where } = condition
  if (condition.canonical) {
    return anyOf(types.map((type) => calledAlike(engine, scope, canonicalParam(code), { type, param: CALLED, where })))
  }
  const param = engine.names.param(scope.type, 'reference', code)
  if (param === undefined) return NEVER
  const targets = [...types, ...innerTypes(scope.typeName, types)].flatMap((typeName): ChainTarget[] => {
    const type = engine.names.find(scope.clinic, typeName)
    if (type === undefined) return []
    const target = { clinic: scope.clinic, type, typeName }
    const holds = compile(engine, target, where)
    return holds.op === 'never' ? [] : [{ scope: target, where: holds }]
  })
  return targets.length === 0 ? NEVER : { op: 'chain', param, targets }
}

/** The referring resource may be contained in any other. */
const hasTerm = (engine: Engine, scope: Scope, condition: Of<'has'>): Term =>
  anyOf(
    [condition.type, ...innerTypesOf(condition.type)].map((type) => hasTermOf(engine, scope, { ...condition, type })),
  )

function hasTermOf(engine: Engine, scope: Scope, condition: Of<'has'>): Term {
  if (condition.canonical) {
    return calledAlike(engine, scope, CALLED, { ...condition, param: canonicalParam(condition.param) })
  }
  return referringTerm(engine, scope, condition)
}

/** Matches where a resource and another one refer to the same external address, each by its own parameter. */
function calledAlike(engine: Engine, scope: Scope, code: string, other: Referring): Term {
  const param = engine.names.param(scope.type, 'reference', code)
  const type = engine.names.find(scope.clinic, ADDRESSES)
  if (param === undefined || type === undefined) return NEVER
  const addresses: Scope = { clinic: scope.clinic, type, typeName: ADDRESSES }
  const where = referringTerm(engine, addresses, other)
  return where.op === 'never' ? NEVER : { op: 'chain', param, targets: [{ scope: addresses, where }] }
}

type Referring = Pick<Of<'has'>, 'type' | 'param' | 'where'>

function referringTerm(engine: Engine, { clinic }: Scope, { type: typeName, param: code, where }: Referring): Term {
  const type = engine.names.find(clinic, typeName)
  const param = type === undefined ? undefined : engine.names.param(type, 'reference', code)
  if (type === undefined || param === undefined) return NEVER
  const scope = { clinic, type, typeName }
  const holds = compile(engine, scope, where)
  return holds.op === 'never' ? NEVER : { op: 'has', scope, param, where: holds }
}
