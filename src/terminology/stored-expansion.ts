/** The expansion that a value set was stored with: https://hl7.org/fhir/R4/valueset.html#expansion. */
import type { ValueSet, ValueSetExpansion, ValueSetExpansionContains } from 'fhir/r4'
import { type Code, type Member, type Membership, OUT } from './member.ts'

export interface StoredExpansion {
  readonly members: readonly Member[]
  readonly membership: (code: Code) => Membership
}

const made = new WeakMap<ValueSetExpansion, StoredExpansion>()

/** Undefined where there is none, or only a page of it: that does not tell which codes are not in it. */
export function wholeExpansion({ expansion }: ValueSet): StoredExpansion | undefined {
  if (expansion === undefined || (expansion.offset ?? 0) > 0) return undefined
  const stored = made.get(expansion) ?? storedExpansion(expansion)
  made.set(expansion, stored)
  return expansion.total === undefined || expansion.total <= stored.members.length ? stored : undefined
}

function storedExpansion({ contains }: ValueSetExpansion): StoredExpansion {
  const members = [...membersOf(contains)]
  const byCode = new Map<string, Member[]>()
  for (const member of members) {
    const known = byCode.get(keyOf(member))
    if (known === undefined) byCode.set(keyOf(member), [member])
    else known.push(member)
  }
  return {
    members,
    membership: (code) => {
      const found = byCode.get(keyOf(code))?.find(({ version }) => isSame(version, code.version))
      return found === undefined ? OUT : { is: 'in', member: found }
    },
  }
}

const keyOf = ({ system, code }: Code): string => `${system}|${code}`

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other

/** Without recursion: whoever uploads an expansion decides how deep it goes. */
function* membersOf(contains: readonly ValueSetExpansionContains[] = []): Generator<Member> {
  const waiting = [...contains].reverse()
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { system, code, version, display, designation: designations = [], abstract = false, inactive = false } = at
    waiting.push(...[...(at.contains ?? [])].reverse())
    // An entry without a code only groups others.
    if (code === undefined || system === undefined) continue
    yield {
      system,
      code,
      ...(version === undefined ? {} : { version }),
      ...(display === undefined ? {} : { display }),
      designations,
      isAbstract: abstract,
      isInactive: inactive,
    }
  }
}
