/**
 * Reindexing: index items extracted again from the stored texts. Each resource has the generation of its items, and the
 * index finds older ones; so no progress needs to be stored, and resources written meanwhile by a server of another
 * version are found as well. Items are outdated by their generation, where an older server wrote them; or by their index
 * version, where the server that wrote them did not know the clinic's newest search parameters yet.
 */
import { MongoBulkWriteError, type UpdateOneModel } from 'mongodb'
import type { InnerEntry, SearchPlan } from '../../search/plan.ts'
import type { Batch, IndexingStorage } from '../index/indexing.ts'
import { isOfOldForm, type TypeIndex } from '../index/search-index.ts'
import {
  CUSTOM_PARAMETERS,
  type Extraction,
  type IndexVersions,
  type ReindexedBatch,
  type Reindexing,
  type StoredRecord,
} from '../port.ts'
import { EntriesOutdated } from '../store-errors.ts'
import type { Filter, IndexItem, ResourceDocument, ResourceIndex } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { isDocumentTooLarge } from './faults.ts'
import { GENERATION, generationItem } from './index-entries.ts'
import { claim, complete, epochOf, lease, readState, storedTypes } from './index-state.ts'
import { innerEntriesIn, innerWrites, linksTo } from './inner-resources.ts'
import { toRecord } from './records.ts'
import { fitDocuments, indexItems, isSmall, toStored } from './resources.ts'
import { item } from './term.ts'
import { inTransaction, readOptions } from './transaction.ts'

/** Milliseconds; a rolling upgrade is over by then. */
const LATE_FOR = 60 * 60 * 1000

/** The storage for the background indexing of all clinics. */
export const indexingStorage = (engine: Engine, extraction: Extraction | undefined): IndexingStorage => {
  const outdated = new OutdatedResources(engine)
  return {
    lateFor: LATE_FOR,
    epoch: () => epochOf(engine),
    load: () => readState(engine),
    storedTypes: () => storedTypes(engine),
    claim: (types, version) => claim(engine, types, version),
    lease: (holder, milliseconds) => lease(engine, holder, milliseconds),
    left: (index) => outdated.count(index),
    fill: async (index, limit) => {
      if (extraction === undefined) return NOTHING
      return await reindexAll(engine, extraction, await outdated.next(index, limit))
    },
    complete: (index) => complete(engine, index),
  }
}

/** Reindexes a batch of one clinic and type: resources whose items have an older index version. */
export async function reindex(
  engine: Engine,
  extraction: Extraction | undefined,
  { clinic, type, indexVersion, limit }: Reindexing,
): Promise<ReindexedBatch> {
  if (extraction === undefined) return NOTHING
  const options = { projection: { resource: 0 }, hint: 'by_entry', limit }
  const filter = olderVersionFilter(engine, clinic, type, indexVersion)
  const found = await engine.resources.find(filter, options).toArray()
  const { done, failed } = await reindexAll(engine, extraction, found)
  return { done, failed, ...(done === 0 ? {} : { next: 'older' }) }
}

/** Reindexes documents, all of one clinic. */
async function reindexAll(
  engine: Engine,
  extraction: Extraction,
  documents: readonly ResourceDocument[],
): Promise<Batch> {
  const [first] = documents
  if (first === undefined) return NOTHING
  const custom = await customParameters(engine, first.clinic)
  const extracted = documents.map((document) => ({
    document,
    found: extractedFrom(engine, extraction, document, custom),
  }))
  const unreadable = extracted.filter(({ found }) => found === undefined).map(({ document }) => document)
  const tooLarge = await write(
    engine,
    extracted.flatMap(({ document, found }) => (found === undefined ? [] : [{ document, ...found }])),
  )
  const failed = [...unreadable, ...tooLarge]
  await write(
    engine,
    failed.map((document) => ({ document, ix: keptItems(engine, document, custom) })),
  )
  return { done: documents.length, failed: failed.length }
}

const NOTHING: Batch = { done: 0, failed: 0 }

async function customParameters({ records }: Engine, clinic: string): Promise<StoredRecord | undefined> {
  const found = await records.findOne({ clinic, ...CUSTOM_PARAMETERS })
  return found === null ? undefined : toRecord(found)
}

/** The extracted items; undefined: the resource cannot be read, or has too many for MongoDB to store. */
function extractedFrom(
  engine: Engine,
  extraction: Extraction,
  document: ResourceDocument,
  custom: StoredRecord | undefined,
): Omit<Reindexed, 'document'> | undefined {
  try {
    const stored = toStored(document)
    const entries = extraction.entriesOf(document.clinic, stored, custom?.value)
    const ix = indexItems(engine, document.type, entries, custom?.version ?? 0)
    return isSmall(stored) || fitDocuments({ ...document, ix }, entries)
      ? { ix, inner: innerEntriesIn(entries) }
      : undefined
  } catch {
    return undefined
  }
}

/** The old items, marked as current: otherwise the resource would be retried forever. */
const keptItems = (
  { index }: Engine,
  { type, ix }: ResourceDocument,
  custom: StoredRecord | undefined,
): readonly IndexItem[] => [
  ...ix.filter(({ k }) => k !== GENERATION),
  generationItem(index.generationOf(type), custom?.version ?? 0),
]

interface Reindexed {
  readonly document: ResourceDocument
  readonly ix: readonly IndexItem[]
  /** The contained resources; absent: they stay as they are. */
  readonly inner?: readonly InnerEntry[]
}

/**
 * Writes items of the versions that were read, and only where these have not been reindexed since, perhaps by newer
 * search parameters.
 * @returns the documents that MongoDB refuses because they would be too large
 */
async function write(engine: Engine, all: readonly Reindexed[]): Promise<readonly ResourceDocument[]> {
  const reindexed = all.filter((one) => !hasInner(one))
  const refused = [...(await writeItems(engine, reindexed))]
  for (const one of all.filter(hasInner)) {
    if (!(await writeWithInner(engine, one))) refused.push(one.document)
  }
  return refused
}

const hasInner = ({ document, inner }: Reindexed): boolean =>
  inner !== undefined && inner.length + (document.within?.length ?? 0) > 0

/**
 * Writes items together with the contained resources, in one transaction. @returns false where MongoDB refuses it
 * because it would be too large
 */
async function writeWithInner(engine: Engine, reindexed: Reindexed): Promise<boolean> {
  const { document, ix, inner = [] } = reindexed
  const { filter } = updateOf(reindexed)
  const [writes, within] = [innerWrites(document, document.within ?? [], inner), linksTo(inner)]
  try {
    await inTransaction(engine.client, async (session) => {
      const { matchedCount } = await engine.resources.updateOne(filter, { $set: { ix, within } }, { session })
      if (matchedCount === 1) await engine.inner.bulkWrite([...writes], { session, ordered: false })
    })
    return true
  } catch (error) {
    if (isDocumentTooLarge(error)) return false
    throw error
  }
}

async function writeItems(
  { resources }: Engine,
  reindexed: readonly Reindexed[],
): Promise<readonly ResourceDocument[]> {
  if (reindexed.length === 0) return []
  try {
    await resources.bulkWrite(
      reindexed.map((one) => ({ updateOne: updateOf(one) })),
      { ordered: false },
    )
    return []
  } catch (error) {
    const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (refused.length === 0) throw error
    return refused.flatMap(({ index }) => reindexed[index]?.document ?? [])
  }
}

const updateOf = ({ document, ix }: Reindexed) => {
  const { clinic, type, id, stamp } = document
  const before = document.ix.find(({ k }) => k === GENERATION)
  const unchanged = before === undefined ? {} : item(before)
  return {
    filter: { clinic, type, id, stamp, ...unchanged },
    update: { $set: { ix } },
  } satisfies UpdateOneModel<ResourceDocument>
}

/** @throws EntriesOutdated with the types of which some resource has an older index version */
export async function checkIndexVersions(
  reader: Reader,
  { clinic }: Pick<SearchPlan, 'clinic'>,
  indexVersions: IndexVersions,
): Promise<void> {
  const outdated: string[] = []
  for (const [type, version] of Object.entries(indexVersions)) {
    if (await isOutdated(reader, clinic, type, version)) outdated.push(type)
  }
  if (outdated.length > 0) throw new EntriesOutdated(outdated)
}

async function isOutdated(reader: Reader, clinic: string, type: string, version: number): Promise<boolean> {
  const index = reader.index.state.types.get(type)
  // Resources without an index version are being reindexed anyway.
  if (index !== undefined && isOfOldForm(index)) return true
  const filter = olderVersionFilter(reader, clinic, type, version)
  const options = { projection: { _id: 1 }, hint: 'by_entry', ...readOptions(reader) }
  return (await reader.resources.findOne(filter, options)) !== null
}

/** A filter for resources whose items have an older index version, in any generation. */
function olderVersionFilter({ index }: Pick<Reader, 'index'>, clinic: string, type: string, version: number): Filter {
  const generations = (index.state.types.get(type)?.generation ?? 0) + 1
  const ranges = Array.from({ length: generations + 1 }, (_, generation) =>
    item({ k: GENERATION, v: { $gte: generation, $lt: generationItem(generation, version).v } }),
  )
  return { clinic, type, $or: ranges }
}

/** Resources whose items have an older generation, clinic by clinic. */
class OutdatedResources {
  readonly #engine: Engine
  /** The clinic in which the last ones were found. */
  #clinic = ''
  /** The last id of resources without a generation: no index finds these, so all are scanned. */
  #id = ''

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async count(index: TypeIndex): Promise<number> {
    let sum = 0
    for (const clinic of await this.#clinics()) {
      for (const { filter, hint } of queriesFor(clinic, index)) {
        sum += await this.#engine.resources.countDocuments(filter, { hint })
      }
    }
    return sum
  }

  /** The next resources, of one clinic; none when none are left. */
  async next(index: TypeIndex, limit: number): Promise<readonly ResourceDocument[]> {
    for (const clinic of await this.#clinics()) {
      if (clinic !== this.#clinic) this.#id = ''
      this.#clinic = clinic
      for (const query of queriesFor(clinic, index)) {
        const found = await this.#find(query, limit)
        if (found.length > 0) return found
      }
    }
    return []
  }

  async #find({ filter, hint }: OutdatedQuery, limit: number): Promise<readonly ResourceDocument[]> {
    const options = { projection: { resource: 0 }, hint, limit }
    if (hint !== 'by_id') return await this.#engine.resources.find(filter, options).toArray()
    const after = { ...filter, id: { $gt: this.#id } }
    const found = await this.#engine.resources.find(after, { ...options, sort: { id: 1 } }).toArray()
    this.#id = found.at(-1)?.id ?? ''
    return found
  }

  /** The clinics, the current one first. */
  async #clinics(): Promise<readonly string[]> {
    const clinics = await this.#engine.resources.distinct('clinic')
    return clinics.sort((one, other) => Number(other === this.#clinic) - Number(one === this.#clinic))
  }
}

interface OutdatedQuery {
  readonly filter: Filter
  readonly hint: ResourceIndex
}

function queriesFor(clinic: string, index: TypeIndex): readonly OutdatedQuery[] {
  const ofType = { clinic, type: index.type }
  const older: OutdatedQuery = {
    filter: { ...ofType, ...item({ k: GENERATION, v: { $lt: index.generation } }) },
    hint: 'by_entry',
  }
  const withoutGeneration: OutdatedQuery = {
    filter: { ...ofType, live: true, 'ix.k': { $ne: GENERATION } },
    hint: 'by_id',
  }
  return isOfOldForm(index) ? [withoutGeneration, older] : [older]
}
