/** Lists of ids of resources of other types, for chained searches and _has. */
import { BudgetError, spend } from '../../isolation/budget.ts'
import { accessPath, candidateFilter } from './access-path.ts'
import type { Reader } from './engine.ts'
import { isArrayTooLarge } from './faults.ts'
import { keyOf } from './index-entries.ts'
import { collectionOf } from './inner-resources.ts'
import { EVERY_LIVE, NEVER, type Scope, type Term } from './term.ts'
import { readOptions } from './transaction.ts'

/** The ids of all resources that fulfil `terms`. */
export const matchingIds = (reader: Reader, scope: Scope, terms: readonly Term[]): Promise<readonly string[]> =>
  listed(reader, scope, terms, [{ $project: { _id: '$id' } }])

/** The ids of the resources of `targetType` to which resources that fulfil `terms` refer by `param`. */
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
 * Reads the ids as one array in one document, which takes a fifth of the time on the event loop that a document for
 * each would.
 * @param stages make a document with an `_id` for each id, from the resources that fulfil `terms`
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

/** Most bytes of all ids of a list: they are part of the next command, which is limited to 16 MB, like a document. */
const MOST_BYTES = 12_000_000

/**
 * Stages that make one list; without ids where it is too long, as MongoDB closes the connection when a document becomes
 * too large.
 */
const AS_ONE_LIST = [
  { $group: { _id: null, ids: { $push: '$_id' }, bytes: { $sum: { $strLenBytes: '$_id' } } } },
  { $project: { bytes: 1, ids: { $cond: [{ $gt: ['$bytes', MOST_BYTES] }, [], '$ids'] } } },
]

const LISTED = 'a chained search that matches very many resources'
