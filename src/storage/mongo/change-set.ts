/** Change sets inside a transaction: first everything that could refuse them, then the documents. */
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb'
import type { IndexEntry } from '../../search/plan.ts'
import { type ChangeSet, type Guard, type ResourceChange, StoreConflict } from '../port.ts'
import type { HistoryDocument, IndexItem, ResourceDocument } from './collections.ts'
import { combinedItems } from './combined.ts'
import type { Engine } from './engine.ts'
import { generationItem, itemsOf } from './index-entries.ts'
import { checkIndexVersions } from './index-version.ts'
import { nextStamp } from './monotonic-timestamp.ts'
import { writeRecords } from './records.ts'
import { findIds } from './search.ts'
import { documentOf, packText } from './stored-text.ts'

/** Sets that touch nothing in common may share a transaction; a conflict of one refuses them all. */
export async function writeAll(engine: Engine, session: ClientSession, sets: readonly ChangeSet[]): Promise<void> {
  for (const set of sets) await takeTurn(engine, session, set)
  const writes = await versionsToWrite(engine, session, sets)
  for (const { guards } of sets) for (const guard of guards) await checkGuard(engine, session, guard)
  await writeRecords(
    engine,
    session,
    sets.flatMap(({ records }) => records),
  )
  if (writes.resources.length > 0) await engine.resources.bulkWrite(writes.resources, { session, ordered: false })
  if (writes.history.length > 0) await engine.history.insertMany(writes.history, { session, ordered: false })
}

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

/**
 * A guard reads what another guarded set may be about to write. Both count up the lock of that type, so that the
 * server lets only one of them through at a time.
 */
async function takeTurn({ locks }: Engine, session: ClientSession, set: ChangeSet): Promise<void> {
  const types = lockedTypes(set)
  if (types.length === 0) return
  const turns = types.map((type) => ({
    updateOne: { filter: { clinic: set.clinic, type }, update: { $inc: { turn: 1 } }, upsert: true },
  }))
  await locks.bulkWrite(turns, { session })
}

/** Types that a guarded set reads or writes. */
export function lockedTypes({ guards, resources }: ChangeSet): readonly string[] {
  if (guards.length === 0) return []
  return [...new Set([...guards.flatMap(({ plan }) => plan.types), ...resources.map(({ type }) => type)])].sort()
}

async function checkGuard(engine: Engine, session: ClientSession, { plan, ids, indexVersions }: Guard): Promise<void> {
  const expected = new Set(ids)
  const reader = { ...engine, session }
  if (indexVersions !== undefined) await checkIndexVersions(reader, plan, indexVersions)
  const found = await findIds(reader, plan, expected.size + 1)
  const holds = found.length === expected.size && found.every((id) => expected.has(id))
  if (!holds) throw new StoreConflict('guard', plan.types.join(','))
}

interface Writes {
  readonly resources: AnyBulkWriteOperation<ResourceDocument>[]
  readonly history: HistoryDocument[]
}

/** What was stored before, as far as it is kept as history. */
type Newest = Omit<ResourceDocument, 'ix' | 'resource' | 'live'>

async function versionsToWrite(engine: Engine, session: ClientSession, sets: readonly ChangeSet[]): Promise<Writes> {
  const stored = await storedVersions(engine, session, sets)
  const newest = new Map(stored)
  const history: HistoryDocument[] = []
  for (const set of sets) {
    for (const change of set.resources) {
      const address = addressOf({ clinic: set.clinic, ...change })
      const before = newest.get(address)
      if ((before?.version ?? 0) !== change.expect) {
        throw new StoreConflict('version', `${change.type}/${change.id}`)
      }
      if (before !== undefined) history.push(superseded(before, change.lastUpdated))
      newest.set(address, nextDocument(engine, set, change, before))
    }
  }
  const changed = [...newest].filter(([address, document]) => stored.get(address) !== document)
  return { history, resources: changed.map(([address, document]) => writeOf(document, stored.has(address))) }
}

function nextDocument(engine: Engine, set: Origin, change: ResourceChange, before: Newest | undefined): Newest {
  if (before === undefined) return createdDocument(engine, set, change)
  return { _id: before._id, ...fieldsOf(engine, set, change, nextStamp(before.stamp)) }
}

const superseded = (
  { clinic, type, id, version, updated, method, text, stamp }: Newest,
  until: number,
): HistoryDocument => ({ _id: stamp, clinic, type, id, version, updated, method, text, until })

function writeOf(document: Newest, isStored: boolean): AnyBulkWriteOperation<ResourceDocument> {
  const { _id, ...replacement } = document as ResourceDocument
  const { clinic, type, id } = replacement
  if (isStored) return { replaceOne: { filter: { clinic, type, id }, replacement } }
  return { insertOne: { document: { _id, ...replacement } } }
}

async function storedVersions(
  { resources }: Engine,
  session: ClientSession,
  sets: readonly ChangeSet[],
): Promise<ReadonlyMap<string, Newest>> {
  const alternatives = sets.flatMap(({ clinic, resources: changes }) =>
    [...Map.groupBy(changes, ({ type }) => type)].map(([type, group]) => ({
      clinic,
      type,
      id: { $in: group.map(({ id }) => id) },
    })),
  )
  if (alternatives.length === 0) return new Map()
  const projection = { ix: 0, resource: 0 }
  const found = await resources.find({ $or: alternatives }, { session, projection }).toArray()
  return new Map(found.map((document) => [addressOf(document), document]))
}

const addressOf = ({
  clinic,
  type,
  id,
}: {
  readonly clinic: string
  readonly type: string
  readonly id: string
}): string => JSON.stringify([clinic, type, id])
