/**
 * Compiles search conditions into terms: one switch. The ids behind chained references are looked up during
 * compilation.
 */

import { CALLED, canonicalParam } from '../../search/canonical.ts'
import { INNER_ID, innerTypes, innerTypesOf, isInner, resourceTypeOf } from '../../search/inner.ts'
import type { Condition } from '../../search/plan.ts'
import { intersection } from '../../search/range-bounds.ts'
import { type Alternatives, alternativesOf, conjunctsOf, type Of } from '../conditions.ts'
import { matchingIds, referencedIds } from './access-path.ts'
import { combinedTerm } from './combined.ts'
import { onceForReader, type Reader } from './engine.ts'
import {
  compositeTerm,
  containsTerm,
  idTerm,
  intersectedTerm,
  missingTerm,
  partTerm,
  positionTerm,
  quantityTerm,
  rangeTerm,
  referenceTerm,
  stringTerm,
  tokenTerm,
  unequalTerm,
  updatedTerm,
  uriTerm,
} from './entry-terms.ts'
import { storedTypes } from './stored-types.ts'
import { allOf, anyOf, NEVER, type Scope, type Term } from './term.ts'

/** Terms that must all hold, for conditions that must all hold. */
export async function compileAll(
  reader: Reader,
  scope: Scope,
  conditions: readonly Condition[],
): Promise<readonly Term[]> {
  const flat = conjunctsOf(conditions)
  const terms = await sequentially(flat, (condition) => compile(reader, scope, condition))
  return [...combinedTerm(reader.index.combined, scope.type, flat), ...intersectedRanges(flat), ...terms]
}

/** Runs the work one by one, as a transaction takes one command at a time. */
async function sequentially<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (const one of list) results.push(await work(one))
  return results
}

/** Merges conditions such as `date=ge…&date=lt…` into one index range. Each condition also has a term of its own. */
function intersectedRanges(conditions: readonly Condition[]): readonly Term[] {
  const ranges = conditions.flatMap((condition) =>
    condition.kind === 'date' || condition.kind === 'number' ? [condition] : [],
  )
  const groups = Map.groupBy(ranges, ({ kind, param }) => `${kind} ${param}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || group.length === 1) return []
    const bounds = group.map((condition) => condition.bounds).reduce(intersection)
    return [intersectedTerm({ ...first, bounds })]
  })
}

async function compile(reader: Reader, scope: Scope, condition: Condition): Promise<Term> {
  switch (condition.kind) {
    case 'any':
      return anyOf(await sequentially(alternativesOf(condition.of), (group) => compileGroup(reader, scope, group)))
    case 'all':
      return allOf(await compileAll(reader, scope, condition.of))
    case 'not':
      return negated(await compile(reader, scope, condition.of))
    case 'string':
      return stringTerm(condition)
    case 'words':
      return stringTerm({ ...condition, kind: 'string' })
    case 'token':
      return tokenTerm(condition, condition.code === undefined ? undefined : [condition.code])
    case 'token-part':
      return partTerm(condition)
    case 'reference':
      return referenceTerm(condition, [condition.id])
    case 'uri':
      return uriTerm(condition)
    case 'unequal':
      return unequalTerm(condition.of)
    case 'date':
    case 'number':
      return rangeTerm(condition)
    case 'quantity':
      return quantityTerm(condition)
    case 'position':
      return positionTerm(condition)
    case 'composite':
      return compositeTerm(condition)
    case 'missing':
      return missingTerm(condition)
    case 'id':
      return isInner(scope.type) ? innerIdTerm(condition.ids) : idTerm(condition.ids)
    case 'type':
      return condition.types.includes(resourceTypeOf(scope.type)) ? allOf([]) : NEVER
    case 'lastUpdated':
      return updatedTerm(condition.bounds)
    case 'chain':
      return await chainTerm(reader, scope, condition)
    case 'has':
      return await hasTerm(reader, scope, condition)
  }
}

async function compileGroup(reader: Reader, scope: Scope, group: Alternatives): Promise<Term> {
  switch (group.kind) {
    case 'tokens':
      return tokenTerm(group.first, group.codes)
    case 'references':
      return anyOf([...Map.groupBy(group.all, ({ type }) => type).values()].map(referencesTerm))
    case 'parts':
      return containsTerm(group.first.param, group.values)
    case 'one':
      return await compile(reader, scope, group.condition)
  }
}

/** @param all differ only in the id */
function referencesTerm(all: readonly Of<'reference'>[]): Term {
  const [first] = all
  if (first === undefined) return NEVER
  return referenceTerm(
    first,
    all.map(({ id }) => id),
  )
}

const negated = ({ filter, isLong = false }: Term): Term => ({ filter: { $nor: [filter] }, isLong })

/** The ids of contained resources are indexed as values, since their own id includes that of the container. */
const innerIdTerm = (ids: readonly string[]): Term =>
  anyOf(ids.map((value) => uriTerm({ kind: 'uri', param: INNER_ID, match: 'exact', value })))

async function chainTerm(reader: Reader, scope: Scope, condition: Of<'chain'>): Promise<Term> {
  const inner = condition.canonical ? [] : innerTypes(scope.type, condition.types)
  const types = await storedTypes(reader, scope.clinic, [...condition.types, ...inner])
  const targets = types.map((type) => ({ ...scope, type }))
  return anyOf(await sequentially(targets, (target) => chainTo(reader, target, condition)))
}

/** The term for targets of one of the types to which the reference may point. */
async function chainTo(reader: Reader, target: Scope, { param, where, canonical }: Of<'chain'>): Promise<Term> {
  if (canonical) return await calledAlike(reader, target, { param: CALLED, where }, canonicalParam(param))
  const ids = await idsWhere(reader, target, where)
  return referenceTerm({ kind: 'reference', param, type: target.type, id: '' }, ids)
}

/** The ids that fulfil `where`; chains of one search with the same end look them up once. */
const idsWhere = (reader: Reader, scope: Scope, where: Condition): Promise<readonly string[]> =>
  onceForReader(reader, JSON.stringify([scope, where]), async () =>
    matchingIds(reader, scope, await compileAll(reader, scope, [where])),
  )

/** The referring resource may be contained in any other. */
async function hasTerm(reader: Reader, scope: Scope, condition: Of<'has'>): Promise<Term> {
  const types = await storedTypes(reader, scope.clinic, [condition.type, ...innerTypesOf(condition.type)])
  return anyOf(await sequentially(types, (type) => hasTermOf(reader, scope, { ...condition, type })))
}

/**
 * Matches resources that refer by `code` to the same external address as a resource of `other` that fulfils `where`
 * does by `param`.
 */
async function calledAlike(
  reader: Reader,
  other: Scope,
  { param, where }: Pick<Of<'has'>, 'param' | 'where'>,
  code: string,
): Promise<Term> {
  const terms = await compileAll(reader, other, [where])
  const addresses = await referencedIds(reader, other, terms, param, OUTSIDE)
  return referenceTerm({ kind: 'reference', param: code, type: OUTSIDE, id: '' }, addresses)
}

/** The type of references to external addresses. */
const OUTSIDE = ''

async function hasTermOf(reader: Reader, scope: Scope, { type, param, where, canonical }: Of<'has'>): Promise<Term> {
  if (canonical) {
    return await calledAlike(reader, { ...scope, type }, { param: canonicalParam(param), where }, CALLED)
  }
  const source = { clinic: scope.clinic, type }
  const terms = await compileAll(reader, source, [where])
  return idTerm(await referencedIds(reader, source, terms, param, scope.type))
}
