/** Search conditions as terms: one switch. The ids behind chained references are looked up on the way. */
import type { Condition } from '../../search/plan.ts'
import { accessPath, candidateFilter } from './access-path.ts'
import { combinedTerm } from './combined.ts'
import { compositeTerm } from './composite-term.ts'
import type { Reader } from './engine.ts'
import { idTerm, missingTerm, referenceTerm, stringTerm, tokenTerm, unequalTerm, uriTerm } from './entry-terms.ts'
import { keyOf } from './index-entries.ts'
import { positionTerm } from './position-term.ts'
import { intersectedTerm, intersection, quantityTerm, rangeTerm, updatedTerm } from './range-terms.ts'
import { allOf, anyOf, EVERY_LIVE, NEVER, type Of, type Scope, type Term } from './term.ts'
import { sessionOf } from './transaction.ts'

/** Terms that must all hold, for conditions that must all hold. */
export async function compileAll(
  reader: Reader,
  scope: Scope,
  conditions: readonly Condition[],
): Promise<readonly Term[]> {
  const flat = flattened(conditions)
  const terms = await sequentially(flat, (condition) => compile(reader, scope, condition))
  return [...combinedTerm(reader.index.combined, scope.type, flat), ...intersectedRanges(flat), ...terms]
}

const flattened = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.flatMap((condition) => (condition.kind === 'all' ? flattened(condition.of) : [condition]))

/** One after the other: a transaction takes one command at a time. */
async function sequentially<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (const one of list) results.push(await work(one))
  return results
}

/** `date=ge…&date=lt…` is one index range. Each of the two conditions is a term of its own besides. */
function intersectedRanges(conditions: readonly Condition[]): readonly Term[] {
  const groups = Map.groupBy(conditions.filter(isRange), ({ kind, param }) => `${kind} ${param}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || group.length === 1) return []
    return [intersectedTerm({ ...first, bounds: group.map(({ bounds }) => bounds).reduce(intersection) })]
  })
}

const isRange = (condition: Condition): condition is Of<'date' | 'number'> =>
  condition.kind === 'date' || condition.kind === 'number'

async function compile(reader: Reader, scope: Scope, condition: Condition): Promise<Term> {
  switch (condition.kind) {
    case 'any':
      return anyOf(await sequentially(alternatives(condition.of), (group) => compileGroup(reader, scope, group)))
    case 'all':
      return allOf(await compileAll(reader, scope, condition.of))
    case 'not':
      return { filter: { $nor: [(await compile(reader, scope, condition.of)).filter] } }
    case 'string':
      return stringTerm(condition)
    case 'words':
      return stringTerm({ ...condition, kind: 'string' })
    case 'token':
      return tokenTerm(condition, condition.code === undefined ? undefined : [condition.code])
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
      return idTerm(condition.ids)
    case 'type':
      return condition.types.includes(scope.type) ? allOf([]) : NEVER
    case 'lastUpdated':
      return updatedTerm(condition.bounds)
    case 'chain':
      return anyOf(await sequentially(condition.types, (type) => chainTerm(reader, { ...scope, type }, condition)))
    case 'has':
      return await hasTerm(reader, scope, condition)
  }
}

/** Conditions that differ only in the value become one term: `code=a,b,c` is one index range for any number of values. */
function alternatives(conditions: readonly Condition[]): readonly (readonly Condition[])[] {
  const key = (condition: Condition, index: number) => groupKey(condition) ?? String(index)
  return [...Map.groupBy(conditions, key).values()]
}

function groupKey(condition: Condition): string | undefined {
  if (condition.kind === 'token' && condition.code !== undefined) {
    return JSON.stringify(['token', condition.param, condition.system])
  }
  if (condition.kind !== 'reference') return undefined
  return JSON.stringify(['reference', condition.param, condition.type, condition.version, condition.versions])
}

async function compileGroup(reader: Reader, scope: Scope, group: readonly Condition[]): Promise<Term> {
  const [first] = group
  if (first === undefined) return NEVER
  if (first.kind === 'token' && group.length > 1) {
    const codes = group.flatMap((one) => (one.kind === 'token' ? (one.code ?? []) : []))
    return tokenTerm(first, codes)
  }
  if (first.kind === 'reference' && group.length > 1) {
    const ids = group.flatMap((one) => (one.kind === 'reference' ? one.id : []))
    return referenceTerm(first, ids)
  }
  return await compile(reader, scope, first)
}

/** `target` has one of the types that the reference may point to. */
async function chainTerm(reader: Reader, target: Scope, { param, where }: Of<'chain'>): Promise<Term> {
  const ids = await matchingIds(reader, target, await compileAll(reader, target, [where]))
  return referenceTerm({ kind: 'reference', param, type: target.type, id: '' }, ids)
}

async function hasTerm(reader: Reader, scope: Scope, { type, param, where }: Of<'has'>): Promise<Term> {
  const source = { clinic: scope.clinic, type }
  const terms = await compileAll(reader, source, [where])
  return idTerm(await referencedIds(reader, source, terms, param, scope.type))
}

/** Ids of all resources that fulfil `terms`. */
async function matchingIds(reader: Reader, scope: Scope, terms: readonly Term[]): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const source = (await accessPath(reader, scope, terms))?.source ?? EVERY_LIVE
  const found = await reader.resources
    .find(candidateFilter(scope, source, terms), { projection: { _id: 0, id: 1 }, ...sessionOf(reader) })
    .hint(source.index)
    .toArray()
  return found.map(({ id }) => id)
}

/** Ids of the resources of `targetType` that `param` of those which fulfil `terms` refers to. */
async function referencedIds(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  param: string,
  targetType: string,
): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const source = (await accessPath(reader, scope, terms))?.source ?? EVERY_LIVE
  const k = keyOf('reference', param)
  const pipeline = [
    { $match: candidateFilter(scope, source, terms) },
    { $unwind: '$ix' },
    { $match: { 'ix.k': k, 'ix.type': targetType } },
    { $group: { _id: '$ix.v' } },
  ]
  const options = { hint: source.index, ...sessionOf(reader) }
  const found = await reader.resources.aggregate<{ readonly _id: string }>(pipeline, options).toArray()
  return found.map(({ _id }) => _id)
}
