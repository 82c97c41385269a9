/** Lists of ids, for what chained searches and _has look for in the resources of other types. */
import type { AbstractCursor } from 'mongodb'
import { BudgetError, spend } from '../../budget/budget.ts'
import { accessPath, candidateFilter } from './access-path.ts'
import type { Reader } from './engine.ts'
import { keyOf } from './index-entries.ts'
import { collectionOf } from './inner-resources.ts'
import { EVERY_LIVE, NEVER, type Scope, type Term } from './term.ts'
import { readOptions } from './transaction.ts'

/** Documents that are decoded without other work in between. */
const DECODED = 2_000

/** Ids of all resources that fulfil `terms`. */
export async function matchingIds(reader: Reader, scope: Scope, terms: readonly Term[]): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const source = (await accessPath(reader, scope, terms))?.source ?? EVERY_LIVE
  const options = { hint: source.index, limit: reader.maxListed + 1, batchSize: DECODED, ...readOptions(reader) }
  const projection = { _id: 0, id: 1 }
  const documents = collectionOf(reader, scope.type)
  const found = documents.find(candidateFilter(scope, source, terms), { projection, ...options })
  return await listed(reader, found, ({ id }) => id)
}

/** Ids of the resources of `targetType` that `param` of those which fulfil `terms` refers to. */
export async function referencedIds(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  param: string,
  targetType: string,
): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const source = (await accessPath(reader, scope, terms))?.source ?? EVERY_LIVE
  const isReference = { $and: [{ $eq: ['$$this.k', keyOf('reference', param)] }, { $eq: ['$$this.type', targetType] }] }
  const pipeline = [
    { $match: candidateFilter(scope, source, terms) },
    { $project: { references: { $filter: { input: '$ix', cond: isReference } } } },
    { $unwind: '$references' },
    { $group: { _id: '$references.v' } },
    { $limit: reader.maxListed + 1 },
  ]
  const options = { hint: source.index, batchSize: DECODED, ...readOptions(reader) }
  const found = collectionOf(reader, scope.type).aggregate<{ readonly _id: string }>(pipeline, options)
  return await listed(reader, found, ({ _id }) => _id)
}

/** @throws BudgetError where there are more than may be listed */
async function listed<Document>(
  { maxListed }: Reader,
  cursor: AbstractCursor<Document>,
  idOf: (document: Document) => string,
): Promise<readonly string[]> {
  const ids: string[] = []
  try {
    while (await cursor.hasNext()) {
      const found = cursor.readBufferedDocuments()
      for (const document of found) ids.push(idOf(document))
      spend(found.length, LISTED)
      if (ids.length > maxListed) throw new BudgetError('too costly', LISTED)
    }
    return ids
  } finally {
    if (!cursor.closed) await cursor.close()
  }
}

const LISTED = 'a chained search that matches very many resources'
