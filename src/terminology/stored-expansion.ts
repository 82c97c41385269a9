/** The expansion within a stored value set: https://hl7.org/fhir/R4/valueset.html#expansion. */
import type { ValueSet, ValueSetExpansion, ValueSetExpansionContains } from 'fhir/r4'
import { Meter } from '../isolation/budget.ts'
import { type Code, type Member, type Membership, OUT } from './member.ts'

export interface StoredExpansion {
  readonly members: readonly Member[]
  readonly membership: (code: Code) => Membership
}

const cache = new WeakMap<ValueSetExpansion, StoredExpansion>()

/** Undefined when there is none or only a page of it, which does not show which codes are not in the value set. */
export function completeExpansion({ expansion }: ValueSet): StoredExpansion | undefined {
  if (expansion === undefined || (expansion.offset ?? 0) > 0) return undefined
  const stored = cache.get(expansion) ?? storedExpansion(expansion)
  cache.set(expansion, stored)
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
      return found === undefined ? OUT : { status: 'in', member: found }
    },
  }
}

const keyOf = ({ system, code }: Code): string => `${system}|${code}`

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other

/** Iterative, as an uploaded expansion may be nested arbitrarily deep. */
function* membersOf(contains: readonly ValueSetExpansionContains[] = []): Generator<Member> {
  const waiting = contains.toReversed()
  const meter = new Meter('the stored expansions of its value sets')
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { system, code, version, display, designation: designations = [], abstract = false, inactive = false } = at
    meter.pay(1)
    for (const below of (at.contains ?? []).toReversed()) waiting.push(below)
    // Entries without a code only group others.
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
