/** _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */
import type { Include, SearchPlan } from '../../search/plan.ts'
import type { SearchResult } from '../port.ts'
import type { Engine } from './engine.ts'
import { EVERY, type Neighbour, neighbours, type Step } from './neighbours.ts'
import { readVersions } from './resources.ts'

/** The resources included with the matches `rows`: each once, never a match, and at most `plan.includeLimit`. */
export function included(
  engine: Engine,
  plan: SearchPlan,
  rows: readonly number[],
): Pick<SearchResult, 'included' | 'truncated'> {
  const seen = new Set(rows)
  let found: readonly number[] = []
  let newest = rows
  const steps = stepsOf(plan.include)
  for (let round = 0; newest.length > 0; round += 1) {
    let reached: readonly Neighbour[] = []
    for (const include of steps.filter(({ iterate }) => round === 0 || iterate)) {
      const limit = plan.includeLimit + seen.size + 1
      const fresh = neighbours(engine, plan.clinic, include, newest, limit).filter((one) => !seen.has(keyOf(one)))
      for (const one of fresh) seen.add(keyOf(one))
      found = [...found, ...fresh.flatMap(({ seq, isInner }) => (isInner ? [] : seq))]
      if (found.length > plan.includeLimit) {
        return { ...answer(engine, found.slice(0, plan.includeLimit)), truncated: true }
      }
      reached = [...reached, ...fresh]
    }
    newest = reached.flatMap(({ row, isCurrent }) => (isCurrent ? row : []))
  }
  return answer(engine, found)
}

/** The identity of a neighbour: a resource is included once by its row, and each older version of it once. */
const keyOf = ({ row, seq, isCurrent }: Neighbour): number => (isCurrent ? row : -seq)

/**
 * Groups includes into steps. `_revinclude=*` is an include of every type that may refer to the matches; as one step it
 * reads their references once.
 */
function stepsOf(includes: readonly Include[]): readonly Step[] {
  const groups = Map.groupBy(includes, ({ source, ...same }) => {
    return source === EVERY || same.param !== EVERY ? JSON.stringify([source, same]) : JSON.stringify([same])
  })
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ ...first, sources: group.map(({ source }) => source) }]
  })
}

function answer(engine: Engine, found: readonly number[]): Pick<SearchResult, 'included' | 'truncated'> {
  const included = readVersions(engine, found)
  return { included, truncated: included.length < found.length }
}
