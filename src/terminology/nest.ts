/** Codes of an expansion below those they are children of: https://hl7.org/fhir/R4/valueset.html#expansion. */
import type { ValueSetExpansionContains } from 'fhir/r4'
import type { Member } from './member.ts'

/** Deeper ones stand beside each other: a reader of JSON goes so deep and no deeper. */
const MAX_DEPTH = 50

interface Placed {
  readonly entry: ValueSetExpansionContains
  readonly depth: number
}

/** Each below the nearest of its ancestors that stands before it; the others on top, in their order. */
export function nested(
  members: readonly Member[],
  entryOf: (member: Member) => ValueSetExpansionContains,
): ValueSetExpansionContains[] {
  const placed = new Map<string, Placed>()
  const top: ValueSetExpansionContains[] = []
  for (const member of members) {
    const entry = entryOf(member)
    const above = nearestAbove(member, placed)
    if (above === undefined || above.depth >= MAX_DEPTH) top.push(entry)
    else {
      above.entry.contains ??= []
      above.entry.contains.push(entry)
    }
    placed.set(keyOf(member, member.code), { entry, depth: (above?.depth ?? 0) + 1 })
  }
  return top
}

const keyOf = ({ system, version = '' }: Member, code: string): string => `${system}|${version}|${code}`

/** Up the first parent of each: where a concept has several, that is the one of the tree. */
function nearestAbove(member: Member, placed: ReadonlyMap<string, Placed>): Placed | undefined {
  const { concepts } = member
  const passed = new Set([member.code])
  for (let code = concepts?.find(member.code)?.parents[0]; code !== undefined; ) {
    const above = placed.get(keyOf(member, code))
    if (above !== undefined || passed.has(code)) return above
    passed.add(code)
    code = concepts?.find(code)?.parents[0]
  }
  return undefined
}
