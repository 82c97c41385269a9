/** Lists of ids, for what chained searches and _has look for in the resources of other types. */
import { BudgetError, spend } from '../../isolation/budget.ts'
import { accessPath, candidateFilter } from './access-path.ts'
import type { Reader } from './engine.ts'
import { isArrayTooLarge } from './faults.ts'
import { keyOf } from './index-entries.ts'
import { collectionOf } from './inner-resources.ts'
import { EVERY_LIVE, NEVER, type Scope, type Term } from './term.ts'
import { readOptions } from './transaction.ts'

/** Ids of all resources that fulfil `terms`. */
export const matchingIds = (reader: Reader, scope: Scope, terms: readonly Term[]): Promise<readonly string[]> =>
  listed(reader, scope, terms, [{ $project: { _id: '$id' } }])

/** Ids of the resources of `targetType` that `param` of those which fulfil `terms` refers to. */
export function referencedIds(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  param: string,
  targetType: string,
): Promise<readonly string[]> {
  const isReference = { $and: [{ $eq: ['$$this.k', keyOf('reference', param)] }, { $eq: ['$$this.type', targetType] }] }
  return listed(reader, scope, terms, [
    { $project: { references: { $filter: { input: '$ix', cond: isReference } } } },
    { $unwind: '$references' },
    { $group: { _id: '$references.v' } },
  ])
}

/**
 * As one array in one document, which takes a fifth of the time on the event loop that a document for each would.
 * @param stages of the resources that fulfil `terms` they make documents with an `_id` each
 * @throws BudgetError where there are more than may be listed
 */
async function listed(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  stages: readonly object[],
): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const source = (await accessPath(reader, scope, terms))?.source ?? EVERY_LIVE
  const matching = { $match: candidateFilter(scope, source, terms) }
  const options = { hint: source.index, ...readOptions(reader) }
  const [found] = await collectionOf(reader, scope.type)
    .aggregate<List>([matching, ...stages, { $limit: reader.maxListed + 1 }, ...AS_ONE_LIST], options)
    .toArray()
    .catch((error: unknown) => {
      throw isArrayTooLarge(error) ? new BudgetError('too costly', LISTED) : error
    })
  const { ids, bytes } = found ?? { ids: [], bytes: 0 }
  spend(ids.length, LISTED)
  if (ids.length > reader.maxListed || bytes > MOST_BYTES) throw new BudgetError('too costly', LISTED)
  return ids
}

interface List {
  readonly ids: readonly string[]
  readonly bytes: number
}

/** Of all ids of a list: they are a part of the next command, which has 16 MB at most, as a document has. */
const MOST_BYTES = 12_000_000

/** MongoDB closes the connection when a document becomes too large. */
const AS_ONE_LIST = [
  { $group: { _id: null, ids: { $push: '$_id' }, bytes: { $sum: { $strLenBytes: '$_id' } } } },
  { $project: { bytes: 1, ids: { $cond: [{ $gt: ['$bytes', MOST_BYTES] }, [], '$ids'] } } },
]

const LISTED = 'a chained search that matches very many resources'
