/**
 * Which codes are in a value set: https://hl7.org/fhir/R4/valueset.html#compositions, and in that of a binding:
 * https://hl7.org/fhir/R4/terminologies.html#strength. A single code is looked up without listing the others, and members
 * are generated lazily.
 */

import type {
  ValueSet,
  ValueSetCompose,
  ValueSetComposeInclude,
  ValueSetExpansion,
  ValueSetExpansionContains,
} from 'fhir/r4'
import { oncePer } from '../fhir/memoize.ts'
import { FhirError } from '../fhir/outcome.ts'
import { valuesIn } from '../fhir/resource.ts'
import { Meter } from '../isolation/budget.ts'
import {
  type Code,
  isUnknownReason,
  keyOfCode,
  type Member,
  type Membership,
  OUT,
  type UnknownReason,
  unknownError,
} from './member.ts'
import { conceptCount, hasSystem, systemMembers, systemMembership, TermWork } from './system-part.ts'
import type { Terminology } from './terminology.ts'

/** Nesting of imports. */
const MAX_IMPORT_DEPTH = 20
/** Visits that an import counts as. */
const IMPORT_COST = 10
/** Characters of the key of a code: each has the url and the version of its system, which may be long. */
const HASHED_IN_A_STEP = 250

/** The import depth, and the work on the question. */
export interface Trail {
  readonly depth: number
  readonly work: TermWork
}

const newTrail = (): Trail => ({ depth: 0, work: new TermWork() })
const deeper = ({ depth, work }: Trail): Trail => ({ depth: depth + 1, work })

/**
 * Whether a code is in the value set; abstract and inactive members are included and marked.
 * @throws FhirError 422 when a regex filter takes too much work
 */
export function membership(terminology: Terminology, valueSet: ValueSet, code: Code, trail = newTrail()): Membership {
  const expansion = completeExpansion(valueSet)
  const answer = composedMembership(terminology, valueSet, code, trail)
  return answer.status === 'unknown' && expansion !== undefined ? expansion.membership(code) : answer
}

/**
 * Generates the codes of the value set in order of definition, without duplicates.
 * @throws FhirError 422 when they depend on codes that are not available or cannot be listed
 */
export function* members(terminology: Terminology, valueSet: ValueSet, trail = newTrail()): Generator<Member> {
  const expansion = completeExpansion(valueSet)
  if (expansion === undefined) yield* composedMembers(terminology, valueSet, trail)
  else yield* allComposed(terminology, valueSet, trail) ?? expansion.members
}

/** Undefined when the definition cannot be evaluated, so that the stored expansion is used. */
function allComposed(terminology: Terminology, valueSet: ValueSet, trail: Trail): readonly Member[] | undefined {
  try {
    return [...composedMembers(terminology, valueSet, trail)]
  } catch (error) {
    if (error instanceof FhirError) return undefined
    throw error
  }
}

function composedMembership(terminology: Terminology, valueSet: ValueSet, code: Code, trail: Trail): Membership {
  const { compose } = valueSet
  if (compose === undefined) return { status: 'unknown', reason: noContent(valueSet) }
  const included = inAnyOf(terminology, compose.include, code, trail)
  if (included.status !== 'in') return included
  if (compose.inactive === false && included.member.isInactive) return OUT
  const excluded = inAnyOf(terminology, compose.exclude ?? [], code, trail)
  if (excluded.status === 'unknown') return excluded
  return excluded.status === 'in' ? OUT : included
}

function* composedMembers(terminology: Terminology, valueSet: ValueSet, trail: Trail): Generator<Member> {
  const { compose } = valueSet
  if (compose === undefined) throw unknownError(noContent(valueSet))
  const seen = new Set<string>()
  for (const part of compose.include) {
    for (const member of partMembers(terminology, part, trail)) {
      if (!trail.work.visit(1)) throw unknownError(tooMuch)
      const { system, version = '', code } = member
      trail.work.pay((system.length + version.length + code.length) / HASHED_IN_A_STEP)
      const key = keyOfCode(member, code)
      if (seen.has(key)) continue
      seen.add(key)
      if (isKept(terminology, compose, member, trail)) yield member
    }
  }
}

function isKept(terminology: Terminology, compose: ValueSetCompose, member: Member, trail: Trail): boolean {
  if (compose.inactive === false && member.isInactive) return false
  const excluded = inAnyOf(terminology, compose.exclude ?? [], member, trail)
  if (excluded.status === 'unknown') throw unknownError(excluded.reason)
  return excluded.status === 'out'
}

/** In when any part has the code; else unknown when that is unknown for any part. */
function inAnyOf(
  terminology: Terminology,
  parts: readonly ValueSetComposeInclude[],
  code: Code,
  trail: Trail,
): Membership {
  let answer = OUT
  if (!trail.work.visit(parts.length)) return { status: 'unknown', reason: tooMuch }
  for (const part of parts) {
    const one = partMembership(terminology, part, code, trail)
    if (one.status === 'in') return one
    if (one.status === 'unknown' && answer.status === 'out') answer = one
  }
  return answer
}

/** In when the system and every imported value set have the code. */
function partMembership(terminology: Terminology, part: ValueSetComposeInclude, code: Code, trail: Trail): Membership {
  const own = hasSystem(part) ? systemMembership(terminology, part, code, trail.work) : undefined
  if (own?.status === 'out') return own
  const imported = valuesIn(part.valueSet).map((canonical) => importedMembership(terminology, canonical, code, trail))
  const answers = own === undefined ? imported : [...imported, own]
  return (
    answers.find(({ status }) => status === 'out') ??
    answers.find(({ status }) => status === 'unknown') ??
    answers[0] ??
    OUT
  )
}

function* partMembers(terminology: Terminology, part: ValueSetComposeInclude, trail: Trail): Generator<Member> {
  const [first, ...others] = valuesIn(part.valueSet)
  if (first === undefined) {
    if (!hasSystem(part)) return
    if (!trail.work.visit(conceptCount(terminology, part))) throw unknownError(tooMuch)
    yield* systemMembers(terminology, part, trail.work)
    return
  }
  const valueSet = importedValueSet(terminology, first, trail)
  if (isUnknownReason(valueSet)) throw unknownError(valueSet)
  for (const member of members(terminology, valueSet, deeper(trail))) {
    if (others.length === 0 && part.system === undefined) yield member
    else if (isInAll(terminology, part, member, trail)) yield member
  }
}

function isInAll(terminology: Terminology, part: ValueSetComposeInclude, member: Member, trail: Trail): boolean {
  const answer = partMembership(terminology, part, member, trail)
  if (answer.status === 'unknown') throw unknownError(answer.reason)
  return answer.status === 'in'
}

function importedMembership(terminology: Terminology, canonical: string, code: Code, trail: Trail): Membership {
  const valueSet = importedValueSet(terminology, canonical, trail)
  return isUnknownReason(valueSet)
    ? { status: 'unknown', reason: valueSet }
    : membership(terminology, valueSet, code, deeper(trail))
}

function importedValueSet(terminology: Terminology, canonical: string, trail: Trail): ValueSet | UnknownReason {
  const isTooMuch = !trail.work.visit(IMPORT_COST)
  if (trail.depth >= MAX_IMPORT_DEPTH) {
    const diagnostics = `The value set ${canonical} is imported through more than ${MAX_IMPORT_DEPTH} others, or by itself`
    return { code: 'too-costly', diagnostics }
  }
  if (isTooMuch) return tooMuch
  const found = terminology.valueSet(canonical)
  if (found !== undefined) return found
  return { code: 'not-found', diagnostics: `The value set ${canonical}, which is imported, is not here; store it` }
}

const tooMuch: UnknownReason = {
  code: 'too-costly',
  diagnostics:
    'The value set has so many includes, or imports others so often, that the response would take too long; list its codes',
}

const noContent = ({ url }: ValueSet): UnknownReason => ({
  code: 'not-found',
  diagnostics: `The value set ${url ?? 'without a url'} has neither a compose nor a complete expansion, so its codes are unknown`,
})

/** The expansion within a stored value set: https://hl7.org/fhir/R4/valueset.html#expansion. */
export interface StoredExpansion {
  readonly members: readonly Member[]
  readonly membership: (code: Code) => Membership
}

/** Undefined when there is none or only a page of it, which does not show which codes are not in the value set. */
function completeExpansion({ expansion }: ValueSet): StoredExpansion | undefined {
  if (expansion === undefined || (expansion.offset ?? 0) > 0) return undefined
  const stored = storedExpansion(expansion)
  return expansion.total === undefined || expansion.total <= stored.members.length ? stored : undefined
}

const storedExpansion = oncePer(({ contains }: ValueSetExpansion): StoredExpansion => {
  const members = [...membersOf(contains)]
  const byCode = Map.groupBy(members, keyOf)
  return {
    members,
    membership: (code) => {
      const found = byCode.get(keyOf(code))?.find(({ version }) => isSame(version, code.version))
      return found === undefined ? OUT : { status: 'in', member: found }
    },
  }
})

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
