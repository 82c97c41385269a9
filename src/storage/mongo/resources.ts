/** Versions of resources as documents: writing them, and reading one by its address. */
import { randomInt } from 'node:crypto'
import { BSON } from 'mongodb'
import type { IndexEntry } from '../../search/plan.ts'
import type { ChangeSet, ResourceChange, StoredResource } from '../port.ts'
import { ResourceTooLarge } from '../store-errors.ts'
import type { Collections, HistoryDocument, IndexItem, ResourceDocument } from './collections.ts'
import { combinedItems } from './combined.ts'
import { TIME_LIMIT } from './connection.ts'
import type { Engine } from './engine.ts'
import { entryItems, generationItem } from './index-entries.ts'
import { innerEntriesIn, linksTo } from './inner-resources.ts'
import { documentOf, packText, unpackText } from './stored-text.ts'

/** The fields that toStored() needs, without those for indexes and for people. */
export const VERSION_FIELDS = { type: 1, id: 1, version: 1, updated: 1, method: 1, text: 1 } as const

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

export async function readCurrent(
  { resources }: Collections,
  clinic: string,
  type: string,
  id: string,
): Promise<StoredResource | undefined> {
  const options = { projection: { _id: 0, ...VERSION_FIELDS }, maxTimeMS: TIME_LIMIT }
  const found = await resources.findOne({ clinic, type, id }, options)
  return found === null ? undefined : toStored(found)
}

/**
 * Reads the current version first: if it is superseded between the two reads, the second one finds it in the history.
 */
export async function readVersion(
  collections: Collections,
  clinic: string,
  type: string,
  id: string,
  version: number,
): Promise<StoredResource | undefined> {
  const address = { clinic, type, id, version }
  const options = { projection: { _id: 0, ...VERSION_FIELDS }, maxTimeMS: TIME_LIMIT }
  const found =
    (await collections.resources.findOne(address, options)) ?? (await collections.history.findOne(address, options))
  return found === null ? undefined : toStored(found)
}

/** The fields shared by the changes of one set. */
type SetFields = Pick<ChangeSet, 'clinic' | 'indexVersion'>

/** The document of a first version. */
export function createdDocument(engine: Engine, set: SetFields, change: ResourceChange): ResourceDocument {
  const stamp = nextTimestamp()
  return { _id: stamp, ...fieldsOf(engine, set, change, stamp) }
}

/** The fields of the current version that the history keeps. */
export type CurrentVersion = Omit<ResourceDocument, 'ix' | 'resource' | 'live'>

/** The document that replaces `before`, if there is one. */
export function nextDocument(
  engine: Engine,
  set: SetFields,
  change: ResourceChange,
  before: CurrentVersion | undefined,
): CurrentVersion {
  if (before === undefined) return createdDocument(engine, set, change)
  return { _id: before._id, ...fieldsOf(engine, set, change, nextTimestamp(before.stamp)) }
}

/** @param until when the next version was written (ms) */
export const superseded = (
  { clinic, type, id, version, updated, method, text, stamp }: CurrentVersion,
  until: number,
): HistoryDocument => ({ _id: stamp, clinic, type, id, version, updated, method, text, until })

function fieldsOf(
  engine: Engine,
  { clinic, indexVersion = 0 }: SetFields,
  { type, id, version, lastUpdated, method, text, entries }: ResourceChange,
  stamp: string,
): Omit<ResourceDocument, '_id'> {
  const live = method !== 'DELETE'
  const resource = documentOf(text)
  const within = linksTo(innerEntriesIn(entries))
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
    ...(within.length === 0 ? {} : { within }),
  }
}

/** All items of a live resource. */
export function indexItems(
  { combined, index }: Engine,
  type: string,
  entries: readonly IndexEntry[],
  indexVersion: number,
): readonly IndexItem[] {
  const items = entryItems(entries)
  return [...items, ...combinedItems(combined, type, items), generationItem(index.generationOf(type), indexVersion)]
}

/**
 * Most bytes of a document, with a reserve for what MongoDB and a transaction add.
 * https://www.mongodb.com/docs/manual/reference/limits/#std-label-limit-bson-document-size
 */
const MAX_DOCUMENT = 16 * 1024 * 1024 - 16 * 1024

/** Characters; the document of a text up to this length, with all its index items, is far below the limit. */
const SMALL_TEXT = 256 * 1024

/** @throws ResourceTooLarge when a version of `set` does not fit into a document */
export function checkSizes(engine: Engine, set: ChangeSet): void {
  for (const change of set.resources) {
    if (isSmall(change) || fitDocuments(createdDocument(engine, set, change), change.entries)) continue
    throw new ResourceTooLarge(`${change.type}/${change.id}`)
  }
}

/** True when its document, and those of the resources within it, are certainly far below the limit. */
export const isSmall = ({ text }: Pick<StoredResource, 'text'>): boolean => text.length <= SMALL_TEXT

/** True when the document of a resource, and that of each resource within it, is small enough. */
export function fitDocuments(document: object, entries: readonly IndexEntry[]): boolean {
  const within = innerEntriesIn(entries).map((one) => ({ ix: entryItems(one.entries) }))
  return [document, ...within].every((one) => BSON.calculateObjectSize(one) <= MAX_DOCUMENT)
}

/** Digits of a time in microseconds, in base 36: enough until the year 6000. */
const TIME_DIGITS = 11
const PROCESS_DIGITS = 4

const processDigits = randomInt(36 ** PROCESS_DIGITS)
  .toString(36)
  .padStart(PROCESS_DIGITS, '0')

/** Microseconds since 1970 UTC of the last timestamp. */
let last = 0

/**
 * A text that sorts after every earlier timestamp of this process, and after `previous`, which another process may have
 * written; timestamps of different processes differ.
 */
function nextTimestamp(previous?: string): string {
  const past = previous === undefined ? 0 : Number.parseInt(previous.slice(0, TIME_DIGITS), 36)
  last = Math.max(Date.now() * 1000, last + 1, past + 1)
  return last.toString(36).padStart(TIME_DIGITS, '0') + processDigits
}
