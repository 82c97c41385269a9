/**
 * Which codes are in a value set: https://hl7.org/fhir/R4/valueset.html#compositions.
 * One code is looked up without listing the others, and the list is made one by one as it is asked for.
 */
import type { ValueSet, ValueSetCompose, ValueSetComposeInclude } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { type Code, isGap, type Member, type Membership, OUT } from './member.ts'
import { type Gap, gapError } from './missing-terms.ts'
import { wholeExpansion } from './stored-expansion.ts'
import { conceptsToLookAt, hasSystem, systemMembers, systemMembership } from './system-part.ts'
import type { Terminology } from './terminology.ts'

/** Value sets that draw on others, and those on others again. */
const MAX_IMPORT_DEPTH = 20
/** Codes, parts and value sets looked at for one question: ten sets that each draw twice on the next look at a thousand. */
const MAX_WORK = 1_000_000
const IMPORT_COST = 10

/** How far a question has led. */
export interface Trail {
  readonly depth: number
  readonly work: { left: number }
}

export const newTrail = (): Trail => ({ depth: 0, work: { left: MAX_WORK } })
const deeper = ({ depth, work }: Trail): Trail => ({ depth: depth + 1, work })

/** Whether a code is in the value set, abstract and inactive ones too: the member says so. */
export function membership(terminology: Terminology, valueSet: ValueSet, code: Code, trail = newTrail()): Membership {
  const expansion = wholeExpansion(valueSet)
  const answer = composedMembership(terminology, valueSet, code, trail)
  return answer.is === 'unknown' && expansion !== undefined ? expansion.membership(code) : answer
}

/**
 * The codes of the value set, in the order of its definition, each once; lazily.
 * @throws FhirError 422 when they depend on codes that are not here or have no end
 */
export function* members(terminology: Terminology, valueSet: ValueSet, trail = newTrail()): Generator<Member> {
  const expansion = wholeExpansion(valueSet)
  if (expansion === undefined) yield* composedMembers(terminology, valueSet, trail)
  else yield* allComposed(terminology, valueSet, trail) ?? expansion.members
}

/** Undefined where the definition says too little, so that the expansion that came with it must do. */
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
  if (compose === undefined) return { is: 'unknown', gap: noContent(valueSet) }
  const included = inOneOf(terminology, compose.include, code, trail)
  if (included.is !== 'in') return included
  if (compose.inactive === false && included.member.isInactive) return OUT
  const excluded = inOneOf(terminology, compose.exclude ?? [], code, trail)
  if (excluded.is === 'unknown') return excluded
  return excluded.is === 'in' ? OUT : included
}

function* composedMembers(terminology: Terminology, valueSet: ValueSet, trail: Trail): Generator<Member> {
  const { compose } = valueSet
  if (compose === undefined) throw gapError(noContent(valueSet))
  const seen = new Set<string>()
  for (const part of compose.include) {
    for (const member of partMembers(terminology, part, trail)) {
      trail.work.left--
      if (trail.work.left < 0) throw gapError(tooMuch)
      const key = `${member.system}|${member.version ?? ''}|${member.code}`
      if (seen.has(key)) continue
      seen.add(key)
      if (isKept(terminology, compose, member, trail)) yield member
    }
  }
}

function isKept(terminology: Terminology, compose: ValueSetCompose, member: Member, trail: Trail): boolean {
  if (compose.inactive === false && member.isInactive) return false
  const excluded = inOneOf(terminology, compose.exclude ?? [], member, trail)
  if (excluded.is === 'unknown') throw gapError(excluded.gap)
  return excluded.is === 'out'
}

/** In one: in. In none, but unknown in one: unknown. */
function inOneOf(
  terminology: Terminology,
  parts: readonly ValueSetComposeInclude[],
  code: Code,
  trail: Trail,
): Membership {
  let answer = OUT
  trail.work.left -= parts.length
  if (trail.work.left < 0) return { is: 'unknown', gap: tooMuch }
  for (const part of parts) {
    const one = partMembership(terminology, part, code, trail)
    if (one.is === 'in') return one
    if (one.is === 'unknown' && answer.is === 'out') answer = one
  }
  return answer
}

/** The system's part and every value set that is named must all have the code. */
function partMembership(terminology: Terminology, part: ValueSetComposeInclude, code: Code, trail: Trail): Membership {
  const own = hasSystem(part) ? systemMembership(terminology, part, code) : undefined
  if (own?.is === 'out') return own
  const imported = (part.valueSet ?? []).map((canonical) => importedMembership(terminology, canonical, code, trail))
  const answers = own === undefined ? imported : [...imported, own]
  return answers.find(({ is }) => is === 'out') ?? answers.find(({ is }) => is === 'unknown') ?? answers[0] ?? OUT
}

function* partMembers(terminology: Terminology, part: ValueSetComposeInclude, trail: Trail): Generator<Member> {
  const [first, ...others] = part.valueSet ?? []
  if (first === undefined) {
    if (!hasSystem(part)) return
    trail.work.left -= conceptsToLookAt(terminology, part)
    if (trail.work.left < 0) throw gapError(tooMuch)
    yield* systemMembers(terminology, part)
    return
  }
  const valueSet = importedValueSet(terminology, first, trail)
  if (isGap(valueSet)) throw gapError(valueSet)
  for (const member of members(terminology, valueSet, deeper(trail))) {
    if (others.length === 0 && part.system === undefined) yield member
    else if (isInAll(terminology, part, member, trail)) yield member
  }
}

function isInAll(terminology: Terminology, part: ValueSetComposeInclude, member: Member, trail: Trail): boolean {
  const answer = partMembership(terminology, part, member, trail)
  if (answer.is === 'unknown') throw gapError(answer.gap)
  return answer.is === 'in'
}

function importedMembership(terminology: Terminology, canonical: string, code: Code, trail: Trail): Membership {
  const valueSet = importedValueSet(terminology, canonical, trail)
  return isGap(valueSet) ? { is: 'unknown', gap: valueSet } : membership(terminology, valueSet, code, deeper(trail))
}

function importedValueSet(terminology: Terminology, canonical: string, trail: Trail): ValueSet | Gap {
  trail.work.left -= IMPORT_COST
  if (trail.depth >= MAX_IMPORT_DEPTH) {
    const diagnostics = `The value set ${canonical} is drawn on through more than ${MAX_IMPORT_DEPTH} others, or by itself`
    return { code: 'too-costly', diagnostics }
  }
  if (trail.work.left < 0) return tooMuch
  const found = terminology.valueSet(canonical)
  if (found !== undefined) return found
  return { code: 'not-found', diagnostics: `The value set ${canonical}, which is drawn on, is not here; store it` }
}

const tooMuch: Gap = {
  code: 'too-costly',
  diagnostics:
    'The value set has so many parts, or draws on others so often, that the answer would take too long; list its codes',
}

const noContent = ({ url }: ValueSet): Gap => ({
  code: 'not-found',
  diagnostics: `The value set ${url ?? 'without a url'} has neither a compose nor a whole expansion, so nothing says which codes it has`,
})
