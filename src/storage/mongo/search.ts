/** A search: pages over one or several types, their total, and what they include. */
import type { Condition, SearchPlan, SortKey } from '../../search/plan.ts'
import { type CursorKey, readCursor, writeCursor } from '../cursor.ts'
import { type IndexVersions, InvalidCursor, type SearchResult } from '../port.ts'
import { type Fitting, merged } from '../response-limit.ts'
import type { Engine, Reader } from './engine.ts'
import { included } from './include.ts'
import { checkIndexVersions } from './index-version.ts'
import { countRows, type PageOptions, pageOf, type Row, type TypeSearch, typeSearch } from './page.ts'
import { inSnapshot } from './snapshot.ts'
import type { Position } from './sort.ts'

export async function search(engine: Engine, plan: SearchPlan, indexVersions?: IndexVersions): Promise<SearchResult> {
  engine.index.check(plan)
  const after = cursorPosition(plan)
  if (isOneCommand(plan) && indexVersions === undefined) return await result(engine, plan, after)
  return await inSnapshot(engine, async (reader) => {
    if (indexVersions !== undefined) await checkIndexVersions(reader, plan, indexVersions)
    return await result(reader, plan, after)
  })
}

/** Ids of at most `limit` matches. */
export async function findIds(reader: Reader, plan: SearchPlan, limit: number): Promise<readonly string[]> {
  reader.index.check(plan)
  const unsorted = { ...plan, sort: [] }
  const searches = await typeSearches(reader, unsorted)
  const { items } = await page(reader, unsorted, searches, { after: undefined, limit, withItems: false })
  return items.slice(0, limit).map(({ resource }) => resource.id)
}

/** A session costs more than a command. */
function isOneCommand({ types, where, include, total, count }: SearchPlan): boolean {
  return types.length === 1 && include.length === 0 && (total === 'none' || count === 0) && !where.some(isLinked)
}

function isLinked(condition: Condition): boolean {
  switch (condition.kind) {
    case 'chain':
    case 'has':
      return true
    case 'not':
      return isLinked(condition.of)
    case 'any':
    case 'all':
      return condition.of.some(isLinked)
    default:
      return false
  }
}

async function result(reader: Reader, plan: SearchPlan, after: Position | undefined): Promise<SearchResult> {
  const searches = await typeSearches(reader, plan)
  const options = { after, limit: plan.count + 1, withItems: plan.include.length > 0 }
  const { items, isCut } = plan.count === 0 ? NOTHING : await page(reader, plan, searches, options)
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

const NOTHING: Fitting<Row> = { items: [], isCut: false }

/** Of several types only those are searched of which the clinic has something. */
async function typeSearches(reader: Reader, plan: SearchPlan): Promise<readonly TypeSearch[]> {
  const searches: TypeSearch[] = []
  for (const type of await typesOf(reader, plan)) {
    const one = await typeSearch(reader, { clinic: plan.clinic, type }, plan.where, plan.sort)
    if (one !== undefined) searches.push(one)
  }
  return searches
}

async function typesOf(reader: Reader, { clinic, types }: SearchPlan): Promise<readonly string[]> {
  const asked = new Set(types)
  if (asked.size < 4) return [...asked]
  const session = reader.session
  const stored = await reader.resources.distinct('type', { clinic }, session === undefined ? {} : { session })
  return stored.filter((type) => asked.has(type))
}

async function page(
  reader: Reader,
  { sort }: SearchPlan,
  searches: readonly TypeSearch[],
  options: PageOptions,
): Promise<Fitting<Row>> {
  const pages: Fitting<Row>[] = []
  for (const one of searches) pages.push(await pageOf(reader, one, options))
  return merged(pages, (one, other) => compare(sort, one.position, other.position))
}

/** The order that the pages of one type have, for several. */
function compare(sort: readonly SortKey[], one: Position, other: Position): number {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [one.keys[index] ?? null, other.keys[index] ?? null]
    if (left === right) continue
    if (left === null) return 1
    if (right === null) return -1
    return descending ? compareValues(right, left) : compareValues(left, right)
  }
  return sort[0]?.descending ? compareValues(other.place, one.place) : compareValues(one.place, other.place)
}

/** Texts as the server compares them: by the bytes of UTF-8. */
function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

/** `_total=estimate` is answered exactly too. `fitting` is the size of a page after which nothing comes. */
async function totalOf(
  reader: Reader,
  plan: SearchPlan,
  searches: readonly TypeSearch[],
  fitting: number | undefined,
): Promise<number | undefined> {
  if (plan.after === undefined && plan.count > 0 && fitting !== undefined) return fitting
  if (plan.total === 'none' && plan.count > 0) return undefined
  let total = 0
  for (const one of searches) total += await countRows(reader, one)
  return total
}

/** What a cursor must fit: the matches and their order, not how many are shown or what is shown with them. */
const cursorQuery = ({ clinic, types, where, sort, asked }: SearchPlan): unknown => [
  clinic,
  types,
  asked ?? where,
  sort,
]

const nextCursor = (plan: SearchPlan, { keys, place }: Position): string =>
  writeCursor(cursorQuery(plan), [...keys, place])

function cursorPosition(plan: SearchPlan): Position | undefined {
  if (plan.after === undefined) return undefined
  const keys: readonly CursorKey[] = readCursor(plan.after, cursorQuery(plan), plan.sort.length + 1)
  const place = keys.at(-1)
  if (typeof place !== 'string') throw new InvalidCursor('This page address is not one of this server')
  return { keys: keys.slice(0, -1), place }
}
