/** The codes of one code system that a value set includes or excludes: https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.compose.include. */
import type { ValueSetComposeInclude, ValueSetComposeIncludeConcept } from 'fhir/r4'
import { canonicalText } from './canonical.ts'
import type { Concept, Concepts } from './concepts.ts'
import { type ConceptTest, conceptTest } from './filter.ts'
import { acceptedBy, grammarOf } from './grammars.ts'
import { type Code, isGap, type Member, type Membership, OUT } from './member.ts'
import { type Gap, gapError, systemNotComplete, systemNotHeld, systemWithoutEnd } from './missing-terms.ts'
import type { Terminology } from './terminology.ts'

/** A part that has a system; what other value sets it names is no matter here. */
export interface SystemPart extends ValueSetComposeInclude {
  system: string
}

export const hasSystem = (part: ValueSetComposeInclude): part is SystemPart => part.system !== undefined

export function systemMembership(terminology: Terminology, part: SystemPart, code: Code): Membership {
  if (code.system !== part.system) return OUT
  if (part.version !== undefined && code.version !== undefined && part.version !== code.version) return OUT
  const canonical = canonicalText(pinned(part.system, part.version ?? code.version))
  const concepts = terminology.codeSystem(canonical)
  if (part.concept !== undefined) {
    const listed = listedConcept(part, code.code, concepts)
    return listed === undefined ? OUT : isIn(listedMember(part, listed, concepts))
  }
  // Beside a value set, a bare system only says whose codes of it count.
  if (part.filter === undefined && part.valueSet !== undefined) return isIn(bareMember(part, code.code))
  return heldMembership(part, code.code, canonical, concepts)
}

/** @throws FhirError 422 when the codes are not here or have no end */
export function* systemMembers(terminology: Terminology, part: SystemPart): Generator<Member> {
  const canonical = canonicalText(pinned(part.system, part.version))
  const concepts = terminology.codeSystem(canonical)
  if (part.concept !== undefined) {
    for (const concept of part.concept) yield listedMember(part, concept, concepts)
    return
  }
  if (grammarOf(part.system) !== undefined && part.filter === undefined) throw gapError(systemWithoutEnd(canonical))
  if (!isHeld(concepts)) throw gapError(systemNotHeld(canonical))
  const tests = testsOf(part, concepts)
  if (isGap(tests)) throw gapError(tests)
  for (const concept of concepts.all()) {
    if (tests.every((test) => test(concept))) yield heldMember(part, concept, concepts)
  }
}

/** How many `systemMembers` goes through. */
export function conceptsToLookAt(terminology: Terminology, part: SystemPart): number {
  if (part.concept !== undefined) return part.concept.length
  return terminology.codeSystem(canonicalText(pinned(part.system, part.version)))?.size ?? 1
}

const isIn = (member: Member): Membership => ({ is: 'in', member })
const unknown = (gap: Gap): Membership => ({ is: 'unknown', gap })

const pinned = (url: string, version: string | undefined) => ({ url, ...(version === undefined ? {} : { version }) })

const isHeld = (concepts: Concepts | undefined): concepts is Concepts =>
  concepts !== undefined && concepts.system.content !== 'not-present'

function heldMembership(part: SystemPart, code: string, canonical: string, concepts: Concepts | undefined): Membership {
  const concept = concepts?.find(code)
  if (concepts === undefined || concept === undefined) {
    const grammar = part.filter === undefined ? grammarOf(part.system) : undefined
    if (grammar !== undefined) return acceptedBy(grammar, code) ? isIn(namedMember(part, code, grammar.display)) : OUT
    if (!isHeld(concepts)) return unknown(systemNotHeld(canonical))
    return concepts.isComplete ? OUT : unknown(systemNotComplete(canonical, concepts.system.content, code))
  }
  const tests = testsOf(part, concepts)
  if (isGap(tests)) return unknown(tests)
  return tests.every((test) => test(concept)) ? isIn(heldMember(part, concept, concepts)) : OUT
}

interface Tests {
  readonly concepts: Concepts
  readonly tests: readonly ConceptTest[] | Gap
}

/** Made once for a part and the code system it is applied to. */
const madeTests = new WeakMap<SystemPart, Tests>()

function testsOf(part: SystemPart, concepts: Concepts): readonly ConceptTest[] | Gap {
  const known = madeTests.get(part)
  if (known?.concepts === concepts) return known.tests
  const tests = makeTests(part, concepts)
  // A pattern counts its work, for one operation.
  if (part.filter?.some(({ op }) => op === 'regex') !== true) madeTests.set(part, { concepts, tests })
  return tests
}

function makeTests({ filter = [] }: SystemPart, concepts: Concepts): readonly ConceptTest[] | Gap {
  const tests: ConceptTest[] = []
  for (const one of filter) {
    const test = conceptTest(one, concepts)
    if (typeof test !== 'function') return test
    tests.push(test)
  }
  return tests
}

const listings = new WeakMap<SystemPart, ReadonlyMap<string, ValueSetComposeIncludeConcept>>()

function listedConcept(
  part: SystemPart,
  code: string,
  concepts: Concepts | undefined,
): ValueSetComposeIncludeConcept | undefined {
  const known = listings.get(part)
  const listing = known ?? new Map((part.concept ?? []).map((concept) => [concept.code, concept]))
  if (known === undefined) listings.set(part, listing)
  // The code system knows how it is written where case does not count.
  return listing.get(code) ?? listing.get(concepts?.find(code)?.code ?? code)
}

/** What the value set says of a code goes before what the code system says. */
function listedMember(part: SystemPart, listed: ValueSetComposeIncludeConcept, concepts: Concepts | undefined): Member {
  const { code, display, designation = [] } = listed
  const concept = concepts?.find(code)
  if (concepts === undefined || concept === undefined)
    return { ...bareMember(part, code), ...(display === undefined ? {} : { display }), designations: designation }
  const held = heldMember(part, concept, concepts)
  return {
    ...held,
    ...(display === undefined ? {} : { display }),
    designations: [...designation, ...held.designations],
  }
}

function heldMember(
  part: SystemPart,
  { code, definition, isAbstract, isInactive }: Concept,
  concepts: Concepts,
): Member {
  const { display, designation: designations = [] } = definition
  const named = display === undefined ? {} : { display }
  return { ...bareMember(part, code), ...named, designations, isAbstract, isInactive, concepts }
}

const namedMember = (part: SystemPart, code: string, name: (code: string) => string): Member => ({
  ...bareMember(part, code),
  display: name(code),
})

const bareMember = ({ system, version }: SystemPart, code: string): Member => ({
  ...pinnedSystem(system, version),
  code,
  designations: [],
  isAbstract: false,
  isInactive: false,
})

const pinnedSystem = (system: string, version: string | undefined) => ({
  system,
  ...(version === undefined ? {} : { version }),
})
