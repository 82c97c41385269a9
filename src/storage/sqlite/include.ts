/** _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */
import type { Include, SearchPlan } from '../../search/plan.ts'
import { Included } from '../included.ts'
import type { SearchResult } from '../port.ts'
import type { Engine } from './engine.ts'
import { EVERY, neighbours, type RowNeighbour, type Step } from './neighbours.ts'
import { readVersions } from './resources.ts'

/** The resources included with the matches `rows`. */
export function included(
  engine: Engine,
  plan: SearchPlan,
  rows: readonly number[],
): Pick<SearchResult, 'included' | 'truncated'> {
  const collected = new Included<RowNeighbour>(plan, rows)
  const startOf = ({ row, isCurrent }: RowNeighbour) => (isCurrent ? [row] : [])
  for (const [step, starts] of collected.rounds(stepsOf(plan.include), rows, startOf)) {
    neighbours(engine, plan.clinic, step, starts, collected.readable).every((one) => collected.add(one))
  }
  const found = collected.found.map(({ seq }) => seq)
  const resources = readVersions(engine, found)
  return { included: resources, truncated: collected.truncated || resources.length < found.length }
}

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
