/** A search: pages over one or several types, their total, and their includes. */
import { writeCursor } from '../../search/cursor.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { type CursorKey, readKeys, searchCursorQuery } from '../cursor.ts'
import type { SearchResult } from '../port.ts'
import type { Engine } from './engine.ts'
import { included } from './include.ts'
import { pageOf } from './page.ts'
import { mergePages, type PageRange, type SortedRow } from './page-scan.ts'
import { readRows } from './resources.ts'
import { scopeOf } from './term.ts'
import { countRows, type TypeSearches, typeSearches } from './type-search.ts'

/** @throws IndexIncomplete, InvalidCursor */
export function search(engine: Engine, plan: SearchPlan): SearchResult {
  engine.index.check(plan)
  return engine.db.snapshot(() => {
    const searches = searchesOf(engine, plan, plan.count + 1)
    const found = plan.count === 0 ? [] : readPage(engine, plan, searches, rangeOf(plan))
    const rows = found.slice(0, plan.count).map(({ row }) => row)
    const matches = readRows(engine, rows)
    const last = found.length > matches.length ? found[matches.length - 1] : undefined
    const total = totalOf(engine, plan, searches, last === undefined ? matches.length : undefined)
    return {
      matches,
      ...(plan.include.length === 0 ? NOTHING : included(engine, plan, rows.slice(0, matches.length))),
      ...(last === undefined ? {} : { next: writeCursor(searchCursorQuery(plan), [...last.keys, last.row]) }),
      ...(total === undefined ? {} : { total }),
    }
  })
}

/**
 * Ids of at most `limit` matches.
 * @throws IndexIncomplete
 */
export function findIds(engine: Engine, plan: SearchPlan, limit: number): readonly string[] {
  engine.index.check(plan)
  const unsorted = { ...plan, sort: [] }
  const rows = readPage(engine, unsorted, searchesOf(engine, unsorted, limit), { after: undefined, limit })
  return rows.flatMap(({ row }) => engine.db.get<[string]>('SELECT id FROM resource WHERE row = ?', row) ?? [])
}

const NOTHING: Pick<SearchResult, 'included' | 'truncated'> = { included: [], truncated: false }

/** The searches of each type of which the clinic has any names; the others cannot match. */
function searchesOf(engine: Engine, plan: SearchPlan, wanted: number): readonly TypeSearches[] {
  return [...new Set(plan.types)].flatMap((type) => {
    const scope = scopeOf(engine, plan.clinic, type)
    return (scope && typeSearches(engine, scope, plan.where, plan.sort, wanted)) ?? []
  })
}

/** One row more than is shown, to learn whether a next page follows. */
const rangeOf = (plan: SearchPlan): PageRange => ({ after: lastRow(plan), limit: plan.count + 1 })

const readPage = (
  engine: Engine,
  { sort }: SearchPlan,
  searches: readonly TypeSearches[],
  range: PageRange,
): readonly SortedRow[] =>
  mergePages(
    sort,
    searches.map((one) => pageOf(engine, one, range)),
    range.limit,
  )

/** The total, which is exact even for `_total=estimate`. `lastSize` is the size of the page where no other follows. */
function totalOf(
  engine: Engine,
  plan: SearchPlan,
  searches: readonly TypeSearches[],
  lastSize: number | undefined,
): number | undefined {
  if (plan.after === undefined && plan.count > 0 && lastSize !== undefined) return lastSize
  if (plan.total === 'none' && plan.count > 0) return undefined
  let total = 0
  for (const one of searches) total += countRows(engine, one, restOf(plan, total))
  return Math.min(total, restOf(plan))
}

/** The number that the total may still count. */
const restOf = ({ countUpTo = Number.POSITIVE_INFINITY }: SearchPlan, counted = 0): number =>
  Math.max(0, countUpTo - counted)

/** The last row of the page before. */
function lastRow(plan: SearchPlan): SortedRow | undefined {
  if (plan.after === undefined) return undefined
  const keys: readonly CursorKey[] = readKeys(plan.after, searchCursorQuery(plan), plan.sort.length + 1)
  return { keys: keys.slice(0, -1), row: Number(keys.at(-1)) }
}
