/**
 * The codes of one code system that a value set includes or excludes, and the work on one question about value sets:
 * https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.compose.include.
 */

import type { ValueSetComposeInclude, ValueSetComposeIncludeConcept } from 'fhir/r4'
import { oncePer } from '../fhir/memoize.ts'
import { Meter } from '../isolation/budget.ts'
import { canonicalText } from './canonical.ts'
import type { Concept, Concepts } from './concepts.ts'
import { type ConceptTest, conceptTest } from './filter.ts'
import { acceptedBy, grammarOf } from './grammars.ts'
import {
  type Code,
  codeSystemIncomplete,
  codesNotAvailable,
  codesNotListable,
  isUnknownReason,
  type Member,
  type Membership,
  OUT,
  type UnknownReason,
  unknownError,
} from './member.ts'
import type { Terminology } from './terminology.ts'

/** An include or exclude with a system; value sets that it imports are handled in value-set.ts. */
export interface SystemPart extends ValueSetComposeInclude {
  system: string
}

export const hasSystem = (part: ValueSetComposeInclude): part is SystemPart => part.system !== undefined

/**
 * Whether the part has the code, its imported value sets aside.
 * @throws FhirError 422 when a regex filter takes too much work
 */
export function systemMembership(
  terminology: Terminology,
  part: SystemPart,
  code: Code,
  work = new TermWork(),
): Membership {
  if (code.system !== part.system) return OUT
  if (part.version !== undefined && code.version !== undefined && part.version !== code.version) return OUT
  const canonical = canonicalText({ url: part.system, version: part.version ?? code.version })
  const concepts = terminology.codeSystem(canonical)
  if (part.concept !== undefined) {
    const listed = listedConcept(part, code.code, concepts)
    return listed === undefined ? OUT : memberOf(listedMember(part, listed, concepts))
  }
  // With a value set, a system alone only restricts the codes of that value set.
  if (part.filter === undefined && part.valueSet !== undefined) return memberOf(bareMember(part, code.code))
  return availableMembership(part, code.code, { canonical, concepts, work })
}

/** The codes of the part. @throws FhirError 422 when they are not available or cannot be listed */
export function* systemMembers(terminology: Terminology, part: SystemPart, work: TermWork): Generator<Member> {
  const canonical = canonicalText({ url: part.system, version: part.version })
  const concepts = terminology.codeSystem(canonical)
  if (part.concept !== undefined) {
    for (const concept of part.concept) if (concept.code !== undefined) yield listedMember(part, concept, concepts)
    return
  }
  if (grammarOf(part.system) !== undefined && part.filter === undefined) throw unknownError(codesNotListable(canonical))
  if (!isAvailable(concepts)) throw unknownError(codesNotAvailable(canonical))
  const tests = testsOf(part, concepts, work)
  if (isUnknownReason(tests)) throw unknownError(tests)
  for (const concept of concepts.all()) {
    if (passes(tests, concept, work)) yield conceptMember(part, concept, concepts)
  }
}

/** The number of concepts that `systemMembers` visits. */
export function conceptCount(terminology: Terminology, part: SystemPart): number {
  if (part.concept !== undefined) return part.concept.length
  return terminology.codeSystem(canonicalText({ url: part.system, version: part.version }))?.size ?? 1
}

const memberOf = (member: Member): Membership => ({ status: 'in', member })
const unknown = (reason: UnknownReason): Membership => ({ status: 'unknown', reason })

const isAvailable = (concepts: Concepts | undefined): concepts is Concepts =>
  concepts !== undefined && concepts.system.content !== 'not-present'

interface Available {
  readonly canonical: string
  readonly concepts: Concepts | undefined
  readonly work: TermWork
}

function availableMembership(part: SystemPart, code: string, { canonical, concepts, work }: Available): Membership {
  const concept = concepts?.find(code)
  if (concepts === undefined || concept === undefined) {
    const grammar = part.filter === undefined ? grammarOf(part.system) : undefined
    if (grammar !== undefined)
      return acceptedBy(grammar, code) ? memberOf(namedMember(part, code, grammar.display)) : OUT
    if (!isAvailable(concepts)) return unknown(codesNotAvailable(canonical))
    return concepts.isComplete ? OUT : unknown(codeSystemIncomplete(canonical, concepts.system.content, code))
  }
  const tests = testsOf(part, concepts, work)
  if (isUnknownReason(tests)) return unknown(tests)
  return passes(tests, concept, work) ? memberOf(conceptMember(part, concept, concepts)) : OUT
}

/** Properties, parents and children of a concept that a test compares in one step. */
const COMPARED_IN_A_STEP = 16

function passes(tests: readonly ConceptTest[], concept: Concept, work: TermWork): boolean {
  const { definition, parents, children } = concept
  const values = (definition.property?.length ?? 0) + parents.length + children.length
  return tests.every((test) => {
    work.pay(1 + values / COMPARED_IN_A_STEP)
    return test(concept)
  })
}

interface Tests {
  readonly concepts: Concepts
  readonly tests: readonly ConceptTest[] | UnknownReason
}

/** The tests of a part, for the code system it was last applied to. */
const testCache = new WeakMap<SystemPart, Tests>()
/** The tests of parts with patterns, which limit their work on one question. */
const patternCache = new WeakMap<TermWork, WeakMap<SystemPart, Tests>>()

function cacheFor({ filter = [] }: SystemPart, work: TermWork): WeakMap<SystemPart, Tests> {
  if (!filter.some(({ op }) => op === 'regex')) return testCache
  const known = patternCache.get(work) ?? new WeakMap<SystemPart, Tests>()
  patternCache.set(work, known)
  return known
}

function testsOf(part: SystemPart, concepts: Concepts, work: TermWork): readonly ConceptTest[] | UnknownReason {
  const cache = cacheFor(part, work)
  const known = cache.get(part)
  if (known?.concepts === concepts) return known.tests
  const tests = makeTests(part, concepts)
  cache.set(part, { concepts, tests })
  return tests
}

function makeTests({ filter = [] }: SystemPart, concepts: Concepts): readonly ConceptTest[] | UnknownReason {
  const tests: ConceptTest[] = []
  for (const one of filter) {
    const test = conceptTest(one, concepts)
    if (typeof test !== 'function') return test
    tests.push(test)
  }
  return tests
}

/** The concepts that the part lists, by code. */
const listingOf = oncePer(
  ({ concept = [] }: SystemPart) =>
    new Map(concept.flatMap((one) => (one.code === undefined ? [] : [[one.code, one] as const]))),
)

function listedConcept(
  part: SystemPart,
  code: string,
  concepts: Concepts | undefined,
): ValueSetComposeIncludeConcept | undefined {
  const listing = listingOf(part)
  // In a code system that is not case-sensitive, its own spelling is looked up too.
  return listing.get(code) ?? listing.get(concepts?.find(code)?.code ?? code)
}

/** Display and designations in the value set take precedence over those of the code system. */
function listedMember(part: SystemPart, listed: ValueSetComposeIncludeConcept, concepts: Concepts | undefined): Member {
  const { code = '', display, designation = [] } = listed
  const concept = concepts?.find(code)
  if (concepts === undefined || concept === undefined)
    return { ...bareMember(part, code), ...(display === undefined ? {} : { display }), designations: designation }
  const own = conceptMember(part, concept, concepts)
  return {
    ...own,
    ...(display === undefined ? {} : { display }),
    designations: [...designation, ...own.designations],
  }
}

function conceptMember(
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
  system,
  ...(version === undefined ? {} : { version }),
  code,
  designations: [],
  isAbstract: false,
  isInactive: false,
})

/**
 * Codes, includes and value sets visited for one question: ten value sets that each import the next one twice visit a
 * thousand.
 */
const MAX_VISITED = 1_000_000

export class TermWork {
  readonly #meter = new Meter('the codes of its value sets')
  #left = MAX_VISITED

  /** False when more has been visited than one question may. @throws BudgetError */
  visit(count: number): boolean {
    this.#meter.pay(count)
    this.#left -= count
    return this.#left >= 0
  }

  /** For work that is not a visit: the tests of filters. @throws BudgetError */
  pay(steps: number): void {
    this.#meter.pay(steps)
  }
}
