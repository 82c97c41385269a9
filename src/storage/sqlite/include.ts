/** _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */
import type { Include, SearchPlan } from '../../search/plan.ts'
import type { SearchResult } from '../port.ts'
import type { Engine } from './engine.ts'
import { readRows } from './resources.ts'
import { ALWAYS, and, isOneOf, limitedTo, raw, type Sql, sql, visited } from './sql.ts'
import { type Scope, scopeOf } from './term.ts'

const EVERY = '*'

/** The resources that are included with the matches `rows`: each once, never a match, `plan.includeLimit` at most. */
export function included(
  engine: Engine,
  plan: SearchPlan,
  rows: readonly number[],
): Pick<SearchResult, 'included' | 'truncated'> {
  const seen = new Set(rows)
  const found: number[] = []
  let newest = rows
  const steps = stepsOf(plan.include)
  for (let round = 0; newest.length > 0; round += 1) {
    const follow = steps.filter(({ iterate }) => round === 0 || iterate)
    const reached: number[] = []
    for (const include of follow) {
      for (const row of neighbours(engine, plan.clinic, include, newest, plan.includeLimit + seen.size + 1)) {
        if (seen.has(row)) continue
        if (found.length === plan.includeLimit) return { ...answer(engine, found), truncated: true }
        seen.add(row)
        found.push(row)
        reached.push(row)
      }
    }
    newest = reached
  }
  return answer(engine, found)
}

/** Includes that follow the same references, of one type or of several. */
interface Step extends Omit<Include, 'source'> {
  readonly sources: readonly string[]
}

/** `_revinclude=*` is an include of every type that may refer to the matches; as one step it goes over their references once. */
function stepsOf(includes: readonly Include[]): readonly Step[] {
  const groups = Map.groupBy(includes, ({ source, ...same }) => {
    return source === EVERY || same.param !== EVERY ? JSON.stringify([source, same]) : JSON.stringify([same])
  })
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ ...first, sources: group.map(({ source }) => source) }]
  })
}

function answer(engine: Engine, rows: readonly number[]): Pick<SearchResult, 'included' | 'truncated'> {
  const included = readRows(engine, rows)
  return { included, truncated: included.length < rows.length }
}

/** Rows one reference away from `rows`, in the direction of `include`. */
function neighbours(
  engine: Engine,
  clinic: string,
  include: Step,
  rows: readonly number[],
  limit: number,
): readonly number[] {
  const source = sourceTest(engine, clinic, include)
  const target = include.target === undefined ? ALWAYS : typeTest(raw('t'), scopeOf(engine, clinic, include.target))
  if (source === undefined || target === undefined) return []
  const [from, found] = include.reverse
    ? [sql`reference_index AS i INDEXED BY reference_by_target ON i.target = here.value`, raw('s')]
    : [sql`reference_index AS i NOT INDEXED ON i.row = here.value`, raw('t')]
  return engine.db
    .select<[number]>(
      sql`SELECT DISTINCT ${found}.row
      FROM json_each(${JSON.stringify(rows)}) AS here
        CROSS JOIN ${from}
        CROSS JOIN resource AS s ON s.row = i.row
        CROSS JOIN resource AS t ON t.row = i.target
      WHERE ${and([visited(raw('i.row')), source, target, sql`${found}.live = 1`])} ${limitedTo(limit)}`,
    )
    .map(([row]) => row)
}

/** Which references are followed, by their holder's type and parameter; undefined: there are none. */
function sourceTest(engine: Engine, clinic: string, { sources, param }: Step): Sql | undefined {
  const [source] = sources
  if (source === EVERY) {
    return param === EVERY ? ALWAYS : sql`(SELECT n.text FROM name AS n WHERE n.id = i.param) = ${param}`
  }
  const scopes = sources.flatMap((type) => scopeOf(engine, clinic, type) ?? [])
  const [first] = scopes
  if (first === undefined) return undefined
  const types = scopes.map(({ type }) => type)
  if (param === EVERY) return isOneOf(raw('s.type'), types)
  const id = engine.names.param(first.type, 'reference', param)
  return id === undefined ? undefined : sql`i.param = ${id}`
}

const typeTest = (alias: Sql, scope: Scope | undefined): Sql | undefined =>
  scope === undefined ? undefined : sql`${alias}.type = ${scope.type}`
