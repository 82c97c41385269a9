/** Versions of resources: the documents that are written, and what is read from them by its address. */
import { randomInt } from 'node:crypto'
import { BSON } from 'mongodb'
import type { IndexEntry } from '../../search/plan.ts'
import { type ChangeSet, type ResourceChange, ResourceTooLarge, type StoredResource } from '../port.ts'
import type { Collections, HistoryDocument, IndexItem, ResourceDocument } from './collections.ts'
import { combinedItems } from './combined.ts'
import type { Engine } from './engine.ts'
import { generationItem, itemsOf } from './index-entries.ts'
import { documentOf, packText, unpackText } from './stored-text.ts'

/** The fields that a version is made of, for people and indexes none. */
export const VERSION_FIELDS = { type: 1, id: 1, version: 1, updated: 1, method: 1, text: 1 } as const

/** Newest first: a version that is superseded between the two reads has moved to where the second looks. */
export async function readVersion(
  collections: Collections,
  clinic: string,
  type: string,
  id: string,
  version: number,
): Promise<StoredResource | undefined> {
  const address = { clinic, type, id, version }
  const projection = { _id: 0, ...VERSION_FIELDS }
  const found =
    (await collections.resources.findOne(address, { projection })) ??
    (await collections.history.findOne(address, { projection }))
  return found === null ? undefined : toStored(found)
}

export const toStored = ({
  type,
  id,
  version,
  updated,
  method,
  text,
}: Pick<ResourceDocument | HistoryDocument, keyof typeof VERSION_FIELDS>): StoredResource => ({
  type,
  id,
  version,
  lastUpdated: updated,
  method,
  text: unpackText(text),
})

/** The document of a first version. */
export function createdDocument(engine: Engine, set: Origin, change: ResourceChange): ResourceDocument {
  const stamp = nextStamp()
  return { _id: stamp, ...fieldsOf(engine, set, change, stamp) }
}

/** What the changes of one set share. */
type Origin = Pick<ChangeSet, 'clinic' | 'indexVersion'>

function fieldsOf(
  engine: Engine,
  { clinic, indexVersion = 0 }: Origin,
  { type, id, version, lastUpdated, method, text, entries }: ResourceChange,
  stamp: string,
): Omit<ResourceDocument, '_id'> {
  const live = method !== 'DELETE'
  const resource = documentOf(text)
  return {
    clinic,
    type,
    id,
    version,
    updated: lastUpdated,
    method,
    live,
    stamp,
    text: packText(text),
    ix: live ? indexItems(engine, type, entries, indexVersion) : [],
    ...(resource === undefined ? {} : { resource }),
  }
}

/** All items of a live resource. */
export function indexItems(
  { combined, index }: Engine,
  type: string,
  entries: readonly IndexEntry[],
  indexVersion: number,
): readonly IndexItem[] {
  const items = itemsOf(entries)
  return [...items, ...combinedItems(combined, type, items), generationItem(index.generationOf(type), indexVersion)]
}

/** What was stored before, as far as it is kept as history. */
export type Newest = Omit<ResourceDocument, 'ix' | 'resource' | 'live'>

export function nextDocument(engine: Engine, set: Origin, change: ResourceChange, before: Newest | undefined): Newest {
  if (before === undefined) return createdDocument(engine, set, change)
  return { _id: before._id, ...fieldsOf(engine, set, change, nextStamp(before.stamp)) }
}

export const superseded = (
  { clinic, type, id, version, updated, method, text, stamp }: Newest,
  until: number,
): HistoryDocument => ({ _id: stamp, clinic, type, id, version, updated, method, text, until })

/** Bytes, less what the server and a transaction put around it. */
const LARGEST = 16 * 1024 * 1024 - 16 * 1024

/** Characters of a text that, with everything it is found by, is far from the limit. */
const HARMLESS = 256 * 1024

/**
 * @param documentOf makes the document that would be written
 * @throws ResourceTooLarge when that can't be
 */
export function checkSize(change: ResourceChange, documentOf: (change: ResourceChange) => BSON.Document): void {
  if (change.text.length <= HARMLESS) return
  if (BSON.calculateObjectSize(documentOf(change)) > LARGEST) {
    throw new ResourceTooLarge(`${change.type}/${change.id}`)
  }
}

/** Digits of a time in microseconds, in base 36: enough until the year 6000. */
const TIME_DIGITS = 11
const PROCESS_DIGITS = 4

const processName = randomInt(36 ** PROCESS_DIGITS)
  .toString(36)
  .padStart(PROCESS_DIGITS, '0')

/** Microseconds since 1970 UTC of the last stamp. */
let last = 0

/** Later than every stamp of this process, and than `previous`, which another process may have made. */
function nextStamp(previous?: string): string {
  const past = previous === undefined ? 0 : Number.parseInt(previous.slice(0, TIME_DIGITS), 36)
  last = Math.max(Date.now() * 1000, last + 1, past + 1)
  return last.toString(36).padStart(TIME_DIGITS, '0') + processName
}
