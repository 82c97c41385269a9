/** Whether a code is in the value set of a binding: https://hl7.org/fhir/R4/terminologies.html#strength. */
import type { ValueSet } from 'fhir/r4'
import { valuesIn } from '../fhir/resource.ts'
import { Meter } from '../isolation/budget.ts'
import { type Code, type Membership, OUT } from './member.ts'
import type { Terminology } from './terminology.ts'
import { membership, newTrail } from './value-set.ts'

/** A plain `code` has no system; the value set implies it. */
export type BoundCode = Omit<Code, 'system'> & { readonly system?: string }

export interface BindingAnswer {
  /** Unknown when the value set or a code system it uses is not available. */
  readonly isIn: 'yes' | 'no' | 'unknown'
  /** Why it is unknown. */
  readonly why?: string
}

/**
 * Whether the value set has the code; abstract codes do not count, as they must not be recorded.
 * @throws FhirError 422 when a regex filter takes too much work
 */
export function isInValueSet(terminology: Terminology, canonical: string, code: BoundCode): BindingAnswer {
  const valueSet = terminology.valueSet(canonical)
  if (valueSet === undefined) return { isIn: 'unknown', why: `The value set ${canonical} is not here` }
  const found = membershipOf(terminology, valueSet, code)
  if (found.status === 'unknown') return { isIn: 'unknown', why: found.reason.diagnostics }
  return { isIn: found.status === 'in' && !found.member.isAbstract ? 'yes' : 'no' }
}

/**
 * Like `membership`; a code without a system is looked up in each code system that the value set uses.
 * @throws FhirError 422 when a regex filter takes too much work
 */
function membershipOf(terminology: Terminology, valueSet: ValueSet, bound: BoundCode): Membership {
  const { system, ...code } = bound
  if (system !== undefined) return membership(terminology, valueSet, { ...code, system })
  let answer = OUT
  const trail = newTrail()
  for (const one of systemsOf(terminology, valueSet)) {
    const found = membership(terminology, valueSet, { ...code, system: one }, trail)
    if (found.status === 'in') return found
    if (found.status === 'unknown') answer = found
  }
  return answer
}

/**
 * The code systems of which the value set has the code, or may have it: several only where the code is ambiguous without
 * its system. Where there is none, any that the value set uses.
 * @throws FhirError 422 when a regex filter takes too much work
 */
export function impliedSystems(terminology: Terminology, valueSet: ValueSet, code: string): readonly string[] {
  const trail = newTrail()
  const all = systemsOf(terminology, valueSet)
  const found = Map.groupBy(all, (system) => membership(terminology, valueSet, { system, code }, trail).status)
  return found.get('in') ?? found.get('unknown') ?? all.slice(0, 1)
}

/** The maximum number of value sets that are searched for systems. */
const MAX_FOLLOWED = 200

/** The code systems that the value set may have codes of. */
export function systemsOf(terminology: Terminology, valueSet: ValueSet): readonly string[] {
  const followed = new Set<ValueSet>([valueSet])
  const systems = new Set<string>()
  const meter = new Meter('the code systems of its value sets')
  for (const one of followed) {
    meter.pay(1 + partsIn(one) / PARTS_IN_A_STEP)
    for (const system of namedBy(one)) systems.add(system)
    for (const imported of importsOf(terminology, one)) if (followed.size < MAX_FOLLOWED) followed.add(imported)
  }
  return [...systems]
}

/** Includes and stored codes that are looked through in one step. */
const PARTS_IN_A_STEP = 4

const partsIn = ({ compose, expansion }: ValueSet): number =>
  (compose?.include.length ?? 0) + (expansion?.contains?.length ?? 0)

const namedBy = ({ compose, expansion }: ValueSet): readonly string[] =>
  [...(compose?.include ?? []), ...(expansion?.contains ?? [])].flatMap(({ system }) => system ?? [])

const importsOf = (terminology: Terminology, { compose }: ValueSet): readonly ValueSet[] =>
  (compose?.include ?? [])
    .flatMap(({ valueSet }) => valuesIn(valueSet))
    .flatMap((canonical) => terminology.valueSet(canonical) ?? [])
