/** The types of which a clinic has resources, so that a search can skip the others. */
import { isInner } from '../../search/inner.ts'
import { onceForReader, type Reader } from './engine.ts'
import { readOptions } from './transaction.ts'

/** Searching so many types takes no longer than reading the list of types. */
const MAX_UNCHECKED = 3

/** The types among `types` of which the clinic has resources; a few others may be included. */
export async function storedTypes(
  reader: Reader,
  clinic: string,
  types: readonly string[],
): Promise<readonly string[]> {
  const [inner, own] = [types.filter(isInner), types.filter((type) => !isInner(type))]
  const stored = new Set([
    ...(own.length > MAX_UNCHECKED ? await onceForReader(reader, 'types', () => ownTypes(reader, clinic)) : own),
    ...(inner.length > 0 ? await onceForReader(reader, 'inner types', () => innerTypes(reader, clinic)) : []),
  ])
  return [...new Set(types)].filter((type) => stored.has(type))
}

const ownTypes = (reader: Reader, clinic: string): Promise<readonly string[]> =>
  reader.resources.distinct('type', { clinic }, readOptions(reader))

async function innerTypes(reader: Reader, clinic: string): Promise<readonly string[]> {
  const pipeline = [{ $match: { clinic } }, { $group: { _id: '$type' } }]
  const options = { hint: 'by_id', ...readOptions(reader) }
  const found = await reader.inner.aggregate<{ readonly _id: string }>(pipeline, options).toArray()
  return found.map(({ _id }) => _id)
}
