/**
 * Whether resources have the entries that a search by custom parameters needs. A server that has not heard of the newest
 * parameters writes none for them; each resource has the index version of its items, so no search has to wait.
 */
import type { SearchPlan } from '../../search/plan.ts'
import { isOfOldForm } from '../index/index-parts.ts'
import { EntriesOutdated, type IndexVersions } from '../port.ts'
import type { Filter } from './collections.ts'
import { type Reader, sessionOf } from './engine.ts'
import { GENERATION, generationItem } from './index-entries.ts'
import { item } from './term.ts'

/** @throws EntriesOutdated naming the types of which there is a resource with older entries */
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
  // Those without an index version are being reindexed anyway.
  if (index !== undefined && isOfOldForm(index)) return true
  const filter = outdatedFilter(reader, clinic, type, version)
  const found = await reader.resources.findOne(filter, {
    ...{ projection: { _id: 1 }, hint: 'by_entry' },
    ...sessionOf(reader),
  })
  return found !== null
}

/** Resources whose items have an older index version, whichever the generation of the server that wrote them. */
export function outdatedFilter(
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
