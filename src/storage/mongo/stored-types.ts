/** The types of which a clinic has resources, so that a search can skip the others. */
import { isInner } from '../../search/inner.ts'
import type { Reader } from './engine.ts'
import { isReadFor, onceForReader } from './once-for-reader.ts'
import { readOptions } from './transaction.ts'

/** Searching so many types takes no longer than reading the list of types. */
const MAX_UNCHECKED = 3

/** Keys of lists that are read once for a search. */
const OWN = 'types'
const INNER = 'inner types'

/** The types among `types` of which the clinic has resources; a few others may be included. */
export async function storedTypes(
  reader: Reader,
  clinic: string,
  types: readonly string[],
): Promise<readonly string[]> {
  const wanted = new Set(types)
  const others = [...wanted].filter((type) => !isInner(type))
  const needsOwn = others.length > MAX_UNCHECKED || (others.length > 0 && isReadFor(reader, OWN))
  const stored = [
    ...(needsOwn ? await onceForReader(reader, OWN, () => ownTypes(reader, clinic)) : others),
    ...(others.length < wanted.size ? await onceForReader(reader, INNER, () => innerTypes(reader, clinic)) : []),
  ]
  return stored.filter((type) => wanted.has(type))
}

const ownTypes = (reader: Reader, clinic: string): Promise<readonly string[]> =>
  reader.resources.distinct('type', { clinic }, readOptions(reader))

async function innerTypes(reader: Reader, clinic: string): Promise<readonly string[]> {
  const pipeline = [{ $match: { clinic } }, { $group: { _id: '$type' } }]
  const options = { hint: 'by_id', ...readOptions(reader) }
  const found = await reader.inner.aggregate<{ readonly _id: string }>(pipeline, options).toArray()
  return found.map(({ _id }) => _id)
}
