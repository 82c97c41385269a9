/** A search: pages over one or several types, their total, and their includes. */
import { InvalidCursor, writeCursor } from '../../search/cursor.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { type CursorKey, readKeys, searchCursorQuery } from '../cursor.ts'
import type { IndexVersions, SearchResult } from '../port.ts'
import { type LimitedItems, mergeWithinLimit } from '../response-limit.ts'
import type { Engine, Reader } from './engine.ts'
import { included } from './include.ts'
import { withContainerTexts } from './inner-resources.ts'
import { type PageOptions, pageOf, type Row } from './page.ts'
import { checkIndexVersions } from './reindex.ts'
import { comparePositions, type Position } from './sort.ts'
import { storedTypes } from './stored-types.ts'
import { inSnapshot } from './transaction.ts'
import { countRows, type TypeSearch, typeSearch } from './type-search.ts'

/** @throws IndexIncomplete, EntriesOutdated, InvalidCursor */
export async function search(engine: Engine, plan: SearchPlan, indexVersions?: IndexVersions): Promise<SearchResult> {
  engine.index.check(plan)
  const after = cursorPosition(plan)
  return await inSnapshot(engine, async (reader) => {
    if (indexVersions !== undefined) await checkIndexVersions(reader, plan, indexVersions)
    return await answer(reader, plan, after)
  })
}

/**
 * Ids of at most `limit` matches.
 * @throws IndexIncomplete
 */
export async function findIds(reader: Reader, plan: SearchPlan, limit: number): Promise<readonly string[]> {
  reader.index.check(plan)
  const unsorted = { ...plan, sort: [] }
  const searches = await typeSearches(reader, unsorted)
  const { items } = await readPage(reader, unsorted, searches, { after: undefined, limit, withItems: false })
  return items.slice(0, limit).map(({ resource }) => resource.id)
}

async function answer(reader: Reader, plan: SearchPlan, after: Position | undefined): Promise<SearchResult> {
  const searches = await typeSearches(reader, plan)
  const options = { after, limit: plan.count + 1, withItems: plan.include.length > 0 }
  const page = plan.count === 0 ? NOTHING : await readPage(reader, plan, searches, options)
  const { items, isCut } = await withContainerTexts(reader, plan, page)
  const shown = items.slice(0, plan.count)
  const last = isCut || items.length > plan.count ? shown.at(-1) : undefined
  const total = await totalOf(reader, plan, searches, last === undefined ? shown.length : undefined)
  return {
    matches: shown.map(({ resource }) => resource),
    ...(await included(reader, plan, shown)),
    ...(last === undefined ? {} : { next: nextCursor(plan, last.position) }),
    ...(total === undefined ? {} : { total }),
  }
}

const NOTHING: LimitedItems<Row> = { items: [], isCut: false }

/** The searches of each type; of several types, only those of which the clinic has resources. */
async function typeSearches(reader: Reader, plan: SearchPlan): Promise<readonly TypeSearch[]> {
  const searches: TypeSearch[] = []
  for (const type of await storedTypes(reader, plan.clinic, plan.types)) {
    const one = await typeSearch(reader, { clinic: plan.clinic, type }, plan.where, plan.sort)
    if (one !== undefined) searches.push(one)
  }
  return searches
}

async function readPage(
  reader: Reader,
  { sort }: SearchPlan,
  searches: readonly TypeSearch[],
  options: PageOptions,
): Promise<LimitedItems<Row>> {
  const pages: LimitedItems<Row>[] = []
  for (const one of searches) pages.push(await pageOf(reader, one, options))
  return mergeWithinLimit(pages, (one, other) => comparePositions(sort, one.position, other.position))
}

/**
 * The total, which is exact even for `_total=estimate`.
 * @param lastPageSize the number of matches on this page, if there is no next one
 */
async function totalOf(
  reader: Reader,
  plan: SearchPlan,
  searches: readonly TypeSearch[],
  lastPageSize: number | undefined,
): Promise<number | undefined> {
  if (plan.after === undefined && plan.count > 0 && lastPageSize !== undefined) return lastPageSize
  if (plan.total === 'none' && plan.count > 0) return undefined
  let total = 0
  const { countUpTo = Number.POSITIVE_INFINITY } = plan
  for (const one of searches) {
    if (total < countUpTo) total += await countRows(reader, one, countUpTo - total)
  }
  return total
}

const nextCursor = (plan: SearchPlan, { keys, tieBreak }: Position): string =>
  writeCursor(searchCursorQuery(plan), [...keys, tieBreak])

function cursorPosition(plan: SearchPlan): Position | undefined {
  if (plan.after === undefined) return undefined
  const keys: readonly CursorKey[] = readKeys(plan.after, searchCursorQuery(plan), plan.sort.length + 1)
  const tieBreak = keys.at(-1)
  if (typeof tieBreak !== 'string') throw new InvalidCursor()
  return { keys: keys.slice(0, -1), tieBreak }
}
