/** What is behind references: ids of resources that a chain points to, or that point here. */

import { bestSource, candidates } from './access-path.ts'
import { type Reader, sessionOf } from './engine.ts'
import { keyOf } from './index-entries.ts'
import { EVERY, NEVER, type Scope, type Term } from './term.ts'

/** Ids of all resources that fulfil `terms`. */
export async function idsOf(reader: Reader, scope: Scope, terms: readonly Term[]): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const access = (await bestSource(reader, scope, terms, false))?.access ?? EVERY
  const found = await reader.resources
    .find(candidates(scope, access, terms), { projection: { _id: 0, id: 1 }, ...sessionOf(reader) })
    .hint(access.index)
    .toArray()
  return found.map(({ id }) => id)
}

/** Ids of the resources of `targetType` that those which fulfil `terms` refer to by `param`. */
export async function targetsOf(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  param: string,
  targetType: string,
): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const access = (await bestSource(reader, scope, terms, false))?.access ?? EVERY
  const k = keyOf('reference', param)
  const pipeline = [
    { $match: candidates(scope, access, terms) },
    { $unwind: '$ix' },
    { $match: { 'ix.k': k, 'ix.type': targetType } },
    { $group: { _id: '$ix.v' } },
  ]
  const options = { hint: access.index, ...sessionOf(reader) }
  const found = await reader.resources.aggregate<{ readonly _id: string }>(pipeline, options).toArray()
  return found.map(({ _id }) => _id)
}
