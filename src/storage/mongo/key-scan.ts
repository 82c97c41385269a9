/**
 * Scans of the keys of the index `by_entry` alone, which read no document. MongoDB does so only for a query that has its
 * index bounds beside its filter (https://www.mongodb.com/docs/manual/reference/method/cursor.min/).
 */
import { type Document, MaxKey, MinKey } from 'mongodb'
import type { Collections, Filter } from './collections.ts'
import { readLimits } from './read-limits.ts'
import type { Scope, Source } from './term.ts'

/** One range of keys. */
export interface KeyRange {
  readonly min: Document
  /** Exclusive. */
  readonly max: Document
  /** The keys are those of exactly the resources that the source finds; else there may be more. */
  readonly isExact: boolean
}

const [FIRST, LAST] = [new MinKey(), new MaxKey()]

/** The range of a source; undefined: it has several, or none that can be stated. */
export function keyRangeOf({ clinic, type }: Scope, { index, filters }: Source): KeyRange | undefined {
  const [filter] = filters
  const match: Filter | undefined = filter?.['ix']?.$elemMatch
  if (index !== 'by_entry' || filters.length > 1 || match === undefined) return undefined
  const { k, v, ...others } = match
  const bounds = typeof k === 'string' ? boundsOf(v) : undefined
  if (bounds === undefined) return undefined
  const [from, to] = bounds.map(([value, _id]) => ({ clinic, type, 'ix.k': k, 'ix.v': value, _id }))
  if (from === undefined || to === undefined) return undefined
  return { min: from, max: to, isExact: Object.keys(others).length === 0 }
}

/** A value, and whether the keys with it are after the bound or before. */
type Bound = readonly [value: unknown, side: MinKey | MaxKey]

/** undefined where the bounds exclude each other, too, which MongoDB refuses. */
function boundsOf(test: unknown): readonly [from: Bound, to: Bound] | undefined {
  if (typeof test === 'string' || typeof test === 'number' || typeof test === 'boolean') {
    return [
      [test, FIRST],
      [test, LAST],
    ]
  }
  const { $gte, $gt, $lte, $lt }: Filter = typeof test === 'object' && test !== null ? test : {}
  const [low, high] = [$gt ?? $gte, $lt ?? $lte]
  const from = low ?? (typeof high === 'number' ? Number.NEGATIVE_INFINITY : '')
  if ((low ?? high) === undefined || !isLess(from, high)) return undefined
  // What MongoDB sorts next after all texts is a document.
  const to = high ?? (typeof low === 'number' ? Number.POSITIVE_INFINITY : {})
  return [
    [from, $gt === undefined ? FIRST : LAST],
    [to, $lt === undefined ? LAST : FIRST],
  ]
}

/** A comparison holds for values of the same type only. */
function isLess(low: unknown, high: unknown): boolean {
  if (typeof low === 'number') return high === undefined || (typeof high === 'number' && low < high)
  if (typeof low !== 'string') return false
  return high === undefined || (typeof high === 'string' && Buffer.compare(Buffer.from(low), Buffer.from(high)) < 0)
}

/** The `_id` of each resource in the range, in no order; at most `limit`. Outside any session. */
export async function scanKeys(
  documents: Collections['resources'],
  range: KeyRange,
  limit: number,
): Promise<readonly string[]> {
  const { min, max } = range
  const bounds = { hint: 'by_entry', min, max, limit, batchSize: limit + 1 }
  const options = { ...bounds, ...readLimits(), projection: { _id: 1 }, raw: true }
  const found = await documents.find<Uint8Array>({}, options).toArray()
  return found.map(idIn)
}

/** Bytes before the text in a document `{ _id: text }`: its length, the type and name of the field, the text's length. */
const BEFORE_TEXT = 13
/** Bytes after it: the end of the text and of the document. */
const AFTER_TEXT = 2

/** Reads it without the decoder, which takes longer than MongoDB takes to find it. */
const idIn = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1', BEFORE_TEXT, byteLength - AFTER_TEXT)
