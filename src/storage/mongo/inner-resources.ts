/**
 * Resources within resources (search/inner.ts): each is a document of the collection `inner`, with its own index items
 * and the version of its container. The container's document lists them, so that they are deleted once it no longer
 * contains them; it also has their text.
 */
import type { AnyBulkWriteOperation } from 'mongodb'
import { innerAddress, isInner } from '../../search/inner.ts'
import type { IndexEntry, InnerEntry } from '../../search/plan.ts'
import type { StoredResource } from '../port.ts'
import { type LimitedItems, ResponseLimit, type WithResource } from '../response-limit.ts'
import type { Collections, InnerLink, ResourceDocument } from './collections.ts'
import type { Reader } from './engine.ts'
import { entryItems } from './index-entries.ts'
import { unpackText } from './stored-text.ts'
import type { Scope } from './term.ts'
import { readOptions } from './transaction.ts'

/** The collection with resources of the type. */
export const collectionOf = ({ resources, inner }: Collections, type: string): Collections['resources'] =>
  isInner(type) ? inner : resources

export const innerEntriesIn = (entries: readonly IndexEntry[]): readonly InnerEntry[] =>
  entries.filter((entry) => entry.kind === 'inner')

export const linksTo = (inner: readonly InnerEntry[]): readonly InnerLink[] =>
  inner.map(({ type, id }) => ({ type, id }))

/** The fields that a contained resource takes from its container's document. */
type Container = Pick<ResourceDocument, '_id' | 'clinic' | 'version' | 'updated' | 'stamp'>

/** @param before the previous resources within the container; it has `inner` now */
export function innerWrites(
  container: Container,
  before: readonly InnerLink[],
  inner: readonly InnerEntry[],
): readonly AnyBulkWriteOperation<ResourceDocument>[] {
  const { clinic } = container
  const kept = new Set(inner.map(addressOf))
  const gone = before.filter((one) => !kept.has(addressOf(one)))
  return [
    ...gone.map(({ type, id }) => ({ deleteOne: { filter: { clinic, type, id } } })),
    ...inner.map((entry) => upsert(container, entry)),
  ]
}

const addressOf = ({ type, id }: InnerLink): string => `${type} ${id}`

/** Writes a contained resource. Its `_id` keeps the resources of one container together in the order of creation. */
function upsert(
  { _id: created, clinic, version, updated, stamp }: Container,
  { type, id, entries }: InnerEntry,
): AnyBulkWriteOperation<ResourceDocument> {
  const fields = { version, updated, stamp, method: 'PUT' as const, live: true, text: '', ix: entryItems(entries) }
  // The id includes the type, as a container may now have a resource of another type under the same id, which is
  // written together with the deletion.
  const $setOnInsert = { _id: `${created} ${id.slice(id.indexOf('#'))} ${type}` }
  return { updateOne: { filter: { clinic, type, id }, update: { $set: fields, $setOnInsert }, upsert: true } }
}

/** The items with the texts of their containers, as many as fit a response. */
export async function withContainerTexts<Item extends WithResource>(
  reader: Reader,
  { clinic }: Pick<Scope, 'clinic'>,
  { items, isCut }: LimitedItems<Item>,
): Promise<LimitedItems<Item>> {
  if (!items.some(({ resource }) => isInner(resource.type))) return { items, isCut }
  const [complete, limit]: [Item[], ResponseLimit] = [[], new ResponseLimit()]
  for (const item of items) {
    const resource = isInner(item.resource.type) ? await withText(reader, clinic, item.resource) : item.resource
    if (!limit.fits(resource)) return { items: complete, isCut: true }
    complete.push({ ...item, resource })
  }
  return { items: complete, isCut }
}

async function withText(reader: Reader, clinic: string, resource: StoredResource): Promise<StoredResource> {
  const { type, id } = innerAddress(resource.id)
  const options = { projection: { text: 1 }, ...readOptions(reader) }
  const found = await reader.resources.findOne({ clinic, type, id }, options)
  return { ...resource, text: found === null ? '' : unpackText(found.text) }
}
