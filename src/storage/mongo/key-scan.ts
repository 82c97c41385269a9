/**
 * Scans of the keys of the index `by_entry` alone, which read no documents. MongoDB does so only for a query with
 * explicit index bounds beside its filter (https://www.mongodb.com/docs/manual/reference/method/cursor.min/).
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
  /** True when the keys are those of exactly the resources that the source finds; otherwise there may be more. */
  readonly isExact: boolean
}

const [FIRST, LAST] = [new MinKey(), new MaxKey()]

/** The range of a source; undefined: it has several, or none that can be expressed. */
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

/** A value, and whether the bound is before or after the keys that have it. */
type Bound = readonly [value: unknown, side: MinKey | MaxKey]

/** The bounds of a test; undefined also where they exclude each other, which MongoDB refuses. */
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
  // In MongoDB's order, documents come next after all texts.
  const to = high ?? (typeof low === 'number' ? Number.POSITIVE_INFINITY : {})
  return [
    [from, $gt === undefined ? FIRST : LAST],
    [to, $lt === undefined ? LAST : FIRST],
  ]
}

/** True when low < high; values of different types do not compare. */
function isLess(low: unknown, high: unknown): boolean {
  if (typeof low === 'number') return high === undefined || (typeof high === 'number' && low < high)
  if (typeof low !== 'string') return false
  return high === undefined || (typeof high === 'string' && Buffer.compare(Buffer.from(low), Buffer.from(high)) < 0)
}

/** The `_id` of each resource in the range, in no order; at most `limit`. Runs outside any session. */
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

/**
 * Bytes before the text in a document `{ _id: text }`: its length, type and name of the field, and the text's length.
 */
const BEFORE_TEXT = 13
/** Bytes after it: the end of the text and of the document. */
const AFTER_TEXT = 2

/** Reads the id without the decoder, which takes longer than MongoDB takes to find it. */
const idIn = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1', BEFORE_TEXT, byteLength - AFTER_TEXT)
