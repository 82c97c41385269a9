/**
 * The codes that the token modifiers stand for (https://hl7.org/fhir/R4/search.html#token): `:in` and `:not-in` those of
 * a value set, `:below` and `:above` a code with those it subsumes and those that subsume it.
 */
import { FhirError } from '../fhir/outcome.ts'
import { canonicalText } from './canonical.ts'
import type { Concepts } from './concepts.ts'
import type { Code } from './member.ts'
import { gapError, systemNotHeld, unknownCanonical } from './missing-terms.ts'
import type { Terminology } from './terminology.ts'
import { members } from './value-set.ts'

/** Codes of one modifier. */
const MAX_SEARCH_CODES = 10_000

/**
 * Those of a value set, inactive ones too: what was recorded stays found.
 * @param valueSet `url`, `url|version` or `ValueSet/id`
 * @throws FhirError 404 when the value set is not here; 422 when its codes are not, have no end or are too many
 */
export function codesInValueSet(terminology: Terminology, valueSet: string, limit = MAX_SEARCH_CODES): readonly Code[] {
  const found = terminology.valueSet(valueSet)
  if (found === undefined) throw unknownCanonical('value set', valueSet)
  const codes: Code[] = []
  for (const { system, code } of members(terminology, found)) {
    if (codes.length === limit) throw tooMany(`The value set ${valueSet}`, limit)
    codes.push({ system, code })
  }
  return codes
}

/** The code and all that are kinds of it. @throws FhirError 422 when the system is not here or there are too many */
export const codesBelow = (terminology: Terminology, from: Code, limit = MAX_SEARCH_CODES): readonly Code[] =>
  related(terminology, from, limit, (concepts) => concepts.descendantsOf(from.code))

/** The code and all that it is a kind of. @throws FhirError as `codesBelow` */
export const codesAbove = (terminology: Terminology, from: Code, limit = MAX_SEARCH_CODES): readonly Code[] =>
  related(terminology, from, limit, (concepts) => concepts.ancestorsOf(from.code))

function related(
  terminology: Terminology,
  { system, version, code }: Code,
  limit: number,
  reach: (concepts: Concepts) => ReadonlySet<string>,
): readonly Code[] {
  const canonical = canonicalText({ url: system, ...(version === undefined ? {} : { version }) })
  const concepts = terminology.codeSystem(canonical)
  if (concepts === undefined || concepts.system.content === 'not-present') throw gapError(systemNotHeld(canonical))
  // A code that is not in the system, which may have been recorded all the same, stands for itself.
  const codes = [concepts.find(code)?.code ?? code, ...reach(concepts)]
  if (codes.length > limit) throw tooMany(`What is below or above ${code}`, limit)
  return codes.map((one) => ({ system, code: one }))
}

const tooMany = (what: string, limit: number): FhirError =>
  new FhirError(422, { code: 'too-costly', diagnostics: `${what} has more than ${limit} codes, the most for a search` })
