/**
 * Resources with outdated index items, as shown by their generation item (see index-entries.ts): by the generation,
 * where an older server wrote them; or by the index version, where the server that wrote them did not know the clinic's
 * newest search parameters yet.
 */
import type { SearchPlan } from '../../search/plan.ts'
import { isOfOldForm, type TypeIndex } from '../index/search-index.ts'
import { EntriesOutdated, type IndexVersions } from '../port.ts'
import type { Filter, ResourceDocument, ResourceIndex } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { GENERATION, generationItem } from './index-entries.ts'
import { item } from './term.ts'
import { readOptions } from './transaction.ts'

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
export function olderVersionFilter(
  { index }: Pick<Reader, 'index'>,
  clinic: string,
  type: string,
  version: number,
): Filter {
  const generations = (index.state.types.get(type)?.generation ?? 0) + 1
  const ranges = Array.from({ length: generations + 1 }, (_, generation) =>
    item({ k: GENERATION, v: { $gte: generation, $lt: generationItem(generation, version).v } }),
  )
  return { clinic, type, $or: ranges }
}

/** Resources whose items have an older generation, clinic by clinic. */
export class OutdatedResources {
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
