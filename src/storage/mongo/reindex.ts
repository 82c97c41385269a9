/**
 * Reindexing: index items extracted again from the stored texts. Resources have the generation of theirs, and the index
 * on items finds those of an older one; so what is done need not be remembered, and what a server of another version
 * writes meanwhile is found as well.
 */
import { MongoBulkWriteError, type UpdateOneModel } from 'mongodb'
import { isOfOldForm, type TypeIndex } from '../index/index-parts.ts'
import type { Batch, IndexingStorage } from '../index/indexing.ts'
import { CUSTOM_PARAMETERS, type Extraction, type ReindexedBatch, type Reindexing, type StoredRecord } from '../port.ts'
import { indexItems } from './change-set.ts'
import type { Filter, IndexItem, ResourceDocument, ResourceIndex } from './collections.ts'
import type { Engine } from './engine.ts'
import { GENERATION, generationItem } from './index-entries.ts'
import { claim, complete, epochOf, lease, readState, storedTypes } from './index-state.ts'
import { outdatedFilter } from './index-version.ts'
import { toRecord } from './records.ts'
import { toStored } from './resources.ts'
import { item } from './term.ts'

/** Milliseconds: a rolling upgrade takes no longer. */
const LATE_FOR = 60 * 60 * 1000

export const indexingStorage = (engine: Engine, extraction: Extraction | undefined): IndexingStorage => {
  const outdated = new Outdated(engine)
  return {
    lateFor: LATE_FOR,
    epoch: () => epochOf(engine),
    load: () => readState(engine),
    storedTypes: () => storedTypes(engine),
    claim: (types, version) => claim(engine, types, version),
    lease: (holder, milliseconds) => lease(engine, holder, milliseconds),
    left: (index) => outdated.count(index),
    fill: async (index, limit) => {
      if (extraction === undefined) return { done: 0, failed: 0 }
      return await reindex(engine, extraction, await outdated.next(index, limit))
    },
    complete: (index) => complete(engine, index),
  }
}

interface Search {
  readonly filter: Filter
  readonly index: ResourceIndex
}

/** Resources of which the items are of an older generation, clinic by clinic. */
class Outdated {
  private readonly engine: Engine
  /** Where the last ones were found. */
  private clinic = ''
  /** The last id of those that say no generation: no index finds these, so they are walked. */
  private id = ''

  constructor(engine: Engine) {
    this.engine = engine
  }

  async count(index: TypeIndex): Promise<number> {
    let sum = 0
    for (const clinic of await this.clinics()) {
      for (const { filter, index: hint } of searches(clinic, index)) {
        sum += await this.engine.resources.countDocuments(filter, { hint })
      }
    }
    return sum
  }

  /** None when there are none left. */
  async next(index: TypeIndex, limit: number): Promise<readonly ResourceDocument[]> {
    for (const clinic of await this.clinics()) {
      if (clinic !== this.clinic) this.id = ''
      this.clinic = clinic
      for (const search of searches(clinic, index)) {
        const found = await this.find(search, limit)
        if (found.length > 0) return found
      }
    }
    return []
  }

  private async find({ filter, index }: Search, limit: number): Promise<readonly ResourceDocument[]> {
    const options = { projection: { resource: 0 }, hint: index, limit }
    if (index !== 'by_id') return await this.engine.resources.find(filter, options).toArray()
    const after = { ...filter, id: { $gt: this.id } }
    const found = await this.engine.resources.find(after, { ...options, sort: { id: 1 } }).toArray()
    this.id = found.at(-1)?.id ?? ''
    return found
  }

  /** The one under way first. */
  private async clinics(): Promise<readonly string[]> {
    const clinics = await this.engine.resources.distinct('clinic')
    return clinics.sort((one, other) => Number(other === this.clinic) - Number(one === this.clinic))
  }
}

function searches(clinic: string, index: TypeIndex): readonly Search[] {
  const ofType = { clinic, type: index.type }
  const older: Search = {
    filter: { ...ofType, ...item({ k: GENERATION, v: { $lt: index.generation } }) },
    index: 'by_entry',
  }
  const silent: Search = { filter: { ...ofType, live: true, 'ix.k': { $ne: GENERATION } }, index: 'by_id' }
  return isOfOldForm(index) ? [silent, older] : [older]
}

/** Of one clinic and type, those whose items have an older index version. */
export async function reindexType(
  engine: Engine,
  extraction: Extraction | undefined,
  { clinic, type, indexVersion, limit }: Reindexing,
): Promise<ReindexedBatch> {
  if (extraction === undefined) return NOTHING
  const options = { projection: { resource: 0 }, hint: 'by_entry', limit }
  const found = await engine.resources.find(outdatedFilter(engine, clinic, type, indexVersion), options).toArray()
  const { done, failed } = await reindex(engine, extraction, found)
  return { done, failed, ...(done === 0 ? {} : { next: 'older' }) }
}

/** Of one clinic. */
async function reindex(engine: Engine, extraction: Extraction, found: readonly ResourceDocument[]): Promise<Batch> {
  const [first] = found
  if (first === undefined) return NOTHING
  const custom = await customParameters(engine, first.clinic)
  const made = found.map((document) => ({ document, ix: itemsOf(engine, extraction, document, custom) }))
  const kept = made.filter(({ ix }) => ix === undefined).map(({ document }) => document)
  const refused = await write(
    engine,
    made.flatMap(({ document, ix }) => (ix === undefined ? [] : [{ document, ix }])),
  )
  const failed = [...kept, ...refused]
  await write(
    engine,
    failed.map((document) => ({ document, ix: keptItems(engine, document, custom) })),
  )
  return { done: found.length, failed: failed.length }
}

const NOTHING: Batch = { done: 0, failed: 0 }

async function customParameters({ records }: Engine, clinic: string): Promise<StoredRecord | undefined> {
  const found = await records.findOne({ clinic, ...CUSTOM_PARAMETERS })
  return found === null ? undefined : toRecord(found)
}

/** undefined: none can be extracted. */
function itemsOf(
  engine: Engine,
  extraction: Extraction,
  document: ResourceDocument,
  custom: StoredRecord | undefined,
): readonly IndexItem[] | undefined {
  try {
    const entries = extraction.entriesOf(document.clinic, toStored(document), custom?.value)
    return indexItems(engine, document.type, entries, custom?.version ?? 0)
  } catch {
    return undefined
  }
}

/** Those it has, as if they had been extracted again: else it would be tried for ever. */
const keptItems = (
  { index }: Engine,
  { type, ix }: ResourceDocument,
  custom: StoredRecord | undefined,
): readonly IndexItem[] => [
  ...ix.filter(({ k }) => k !== GENERATION),
  generationItem(index.generationOf(type), custom?.version ?? 0),
]

interface Remade {
  readonly document: ResourceDocument
  readonly ix: readonly IndexItem[]
}

/**
 * Only the version that was read, and only where it has not been reindexed since, perhaps by newer parameters.
 * @returns those that the database does not take, because they would be too large
 */
async function write({ resources }: Engine, remade: readonly Remade[]): Promise<readonly ResourceDocument[]> {
  if (remade.length === 0) return []
  try {
    await resources.bulkWrite(
      remade.map((one) => ({ updateOne: updateOf(one) })),
      { ordered: false },
    )
    return []
  } catch (error) {
    const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (refused.length === 0) throw error
    return refused.flatMap(({ index }) => remade[index]?.document ?? [])
  }
}

const updateOf = ({ document, ix }: Remade): UpdateOneModel<ResourceDocument> => {
  const { clinic, type, id, stamp } = document
  const before = document.ix.find(({ k }) => k === GENERATION)
  const unchanged = before === undefined ? {} : item(before)
  return { filter: { clinic, type, id, stamp, ...unchanged }, update: { $set: { ix } } }
}
