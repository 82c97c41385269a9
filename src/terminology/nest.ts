/** Nests the codes of an expansion by their hierarchy: https://hl7.org/fhir/R4/valueset.html#expansion. */
import type { ValueSetExpansionContains } from 'fhir/r4'
import { Meter } from '../isolation/budget.ts'
import { keyOfCode, type Member } from './member.ts'

/** Deeper codes start again at the top level, as JSON readers limit the nesting. */
const MAX_DEPTH = 50
/** Levels that are looked through for an ancestor: in a long chain that begins at its end, no code has one. */
const MAX_LEVELS = 100
/** Steps to look at one. */
const LOOKED_AT = 0.5

interface PlacedEntry {
  readonly entry: ValueSetExpansionContains
  readonly depth: number
}

/** Puts each code below its closest ancestor that precedes it; codes without one are at the top level, in order. */
export function nested(
  members: readonly Member[],
  entryOf: (member: Member) => ValueSetExpansionContains,
): ValueSetExpansionContains[] {
  const placed = new Map<string, PlacedEntry>()
  const top: ValueSetExpansionContains[] = []
  const meter = new Meter('the hierarchy of the expansion')
  for (const member of members) {
    const entry = entryOf(member)
    const above = closestAncestor(member, placed, meter)
    if (above === undefined || above.depth >= MAX_DEPTH) top.push(entry)
    else {
      above.entry.contains ??= []
      above.entry.contains.push(entry)
    }
    placed.set(keyOfCode(member, member.code), { entry, depth: (above?.depth ?? 0) + 1 })
  }
  return top
}

/** Follows the first parent of each concept, which is the parent in the tree. */
function closestAncestor(
  member: Member,
  placed: ReadonlyMap<string, PlacedEntry>,
  meter: Meter,
): PlacedEntry | undefined {
  const { concepts } = member
  const passed = new Set([member.code])
  for (let code = concepts?.find(member.code)?.parents[0]; code !== undefined; ) {
    const above = placed.get(keyOfCode(member, code))
    if (above !== undefined || passed.has(code) || passed.size > MAX_LEVELS) return above
    passed.add(code)
    meter.pay(LOOKED_AT)
    code = concepts?.find(code)?.parents[0]
  }
  return undefined
}
