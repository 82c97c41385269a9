/** Writes change sets inside a transaction: first all checks that could refuse them, then the documents. */
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb'
import type { ChangeSet, Guard, ResourceChange } from '../port.ts'
import { StoreConflict } from '../store-errors.ts'
import type { HistoryDocument, ResourceDocument } from './collections.ts'
import type { Engine } from './engine.ts'
import { innerEntriesIn, innerWrites } from './inner-resources.ts'
import { withinLimits } from './read-limits.ts'
import { writeRecords } from './records.ts'
import { checkIndexVersions } from './reindex.ts'
import { type CurrentVersion, nextDocument, superseded } from './resources.ts'
import { findIds } from './search.ts'

/**
 * Writes sets that touch nothing in common; a conflict of one refuses them all.
 * @throws StoreConflict, EntriesOutdated, IndexIncomplete
 */
export async function writeChangeSets(
  engine: Engine,
  session: ClientSession,
  sets: readonly ChangeSet[],
): Promise<void> {
  for (const set of sets) await lockTypes(engine, session, set)
  const writes = await versionsToWrite(engine, session, sets)
  for (const { guards } of sets) for (const guard of guards) await checkGuard(engine, session, guard)
  await writeRecords(
    engine,
    session,
    sets.flatMap(({ records }) => records),
  )
  if (writes.resources.length > 0) await engine.resources.bulkWrite(writes.resources, { session, ordered: false })
  if (writes.inner.length > 0) await engine.inner.bulkWrite(writes.inner, { session, ordered: false })
  if (writes.history.length > 0) await engine.history.insertMany(writes.history, { session, ordered: false })
}

/**
 * Locks types. A guard reads resources that another guarded set may be about to write. Both increment the lock document
 * of that type, so that the database lets only one of the two transactions through.
 */
async function lockTypes({ locks }: Engine, session: ClientSession, set: ChangeSet): Promise<void> {
  const types = lockedTypes(set)
  if (types.length === 0) return
  const increments = types.map((type) => ({
    updateOne: { filter: { clinic: set.clinic, type }, update: { $inc: { turn: 1 } }, upsert: true },
  }))
  await locks.bulkWrite(increments, { session })
}

/** Types that a guarded set reads or writes. */
export function lockedTypes({ guards, resources }: ChangeSet): readonly string[] {
  if (guards.length === 0) return []
  return [...new Set([...guards.flatMap(({ plan }) => plan.types), ...resources.map(({ type }) => type)])].sort()
}

async function checkGuard(engine: Engine, session: ClientSession, { plan, ids, indexVersions }: Guard): Promise<void> {
  const expected = new Set(ids)
  const reader = { ...engine, session }
  const found = await withinLimits(
    () => 'the condition of a write',
    async () => {
      if (indexVersions !== undefined) await checkIndexVersions(reader, plan, indexVersions)
      return await findIds(reader, plan, expected.size + 1)
    },
  )
  const holds = found.length === expected.size && found.every((id) => expected.has(id))
  if (!holds) throw new StoreConflict('guard', plan.types.join(','))
}

interface Writes {
  readonly resources: AnyBulkWriteOperation<ResourceDocument>[]
  readonly inner: AnyBulkWriteOperation<ResourceDocument>[]
  readonly history: HistoryDocument[]
}

async function versionsToWrite(engine: Engine, session: ClientSession, sets: readonly ChangeSet[]): Promise<Writes> {
  const stored = await currentVersions(engine, session, sets)
  const current = new Map(stored)
  const history: HistoryDocument[] = []
  const entries = new Map<string, ResourceChange['entries']>()
  for (const set of sets) {
    for (const change of set.resources) {
      const key = resourceKey({ clinic: set.clinic, ...change })
      const before = current.get(key)
      if ((before?.version ?? 0) !== change.expect) {
        throw new StoreConflict('version', `${change.type}/${change.id}`)
      }
      if (before !== undefined) history.push(superseded(before, change.lastUpdated))
      current.set(key, nextDocument(engine, set, change, before))
      entries.set(key, change.entries)
    }
  }
  const changed = [...current].filter(([key, document]) => stored.get(key) !== document)
  return {
    history,
    resources: changed.map(([key, document]) => writeOf(document, stored.has(key))),
    inner: changed.flatMap(([key, document]) =>
      innerWrites(document, stored.get(key)?.within ?? [], innerEntriesIn(entries.get(key) ?? [])),
    ),
  }
}

function writeOf(document: CurrentVersion, isStored: boolean): AnyBulkWriteOperation<ResourceDocument> {
  const { _id, ...replacement } = document as ResourceDocument
  const { clinic, type, id } = replacement
  if (isStored) return { replaceOne: { filter: { clinic, type, id }, replacement } }
  return { insertOne: { document: { _id, ...replacement } } }
}

/** The current versions, by resourceKey(). */
async function currentVersions(
  { resources }: Engine,
  session: ClientSession,
  sets: readonly ChangeSet[],
): Promise<ReadonlyMap<string, CurrentVersion>> {
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
  return new Map(found.map((document) => [resourceKey(document), document]))
}

const resourceKey = ({ clinic, type, id }: Pick<ResourceDocument, 'clinic' | 'type' | 'id'>): string =>
  JSON.stringify([clinic, type, id])
