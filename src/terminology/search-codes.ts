/**
 * Expands token modifiers to codes (https://hl7.org/fhir/R4/search.html#token): `:in` and `:not-in` to the codes of a
 * value set, `:below` and `:above` to a code with the codes it subsumes, or that subsume it.
 */
import { FhirError } from '../fhir/outcome.ts'
import { canonicalText } from './canonical.ts'
import type { Concepts } from './concepts.ts'
import { type Code, codesNotAvailable, unknownCanonical, unknownError } from './member.ts'
import type { Terminology } from './terminology.ts'
import { members } from './value-set.ts'

/** The maximum number of codes per modifier. */
const MAX_SEARCH_CODES = 10_000

/**
 * The codes of a value set, including inactive ones, which may have been recorded before.
 * @param valueSet `url`, `url|version` or `ValueSet/id`
 * @throws FhirError 404 when the value set is not available; 422 when its codes are not, cannot be listed or are too many
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

/**
 * The code and all codes that it subsumes.
 * @throws FhirError 422 when the system is not available or they are too many
 */
export const codesBelow = (terminology: Terminology, from: Code, limit = MAX_SEARCH_CODES): readonly Code[] =>
  related(terminology, from, limit, (concepts) => concepts.descendantsOf(from.code))

/**
 * The code and all codes that subsume it.
 * @throws FhirError 422 when the system is not available or they are too many
 */
export const codesAbove = (terminology: Terminology, from: Code): readonly Code[] =>
  related(terminology, from, MAX_SEARCH_CODES, (concepts) => concepts.ancestorsOf(from.code))

function related(
  terminology: Terminology,
  { system, version, code }: Code,
  limit: number,
  reach: (concepts: Concepts) => ReadonlySet<string>,
): readonly Code[] {
  const canonical = canonicalText({ url: system, version })
  const concepts = terminology.codeSystem(canonical)
  if (concepts === undefined || concepts.system.content === 'not-present')
    throw unknownError(codesNotAvailable(canonical))
  // A code that is not in the system may still have been recorded, so it is searched for itself.
  const codes = [concepts.find(code)?.code ?? code, ...reach(concepts)]
  if (codes.length > limit) throw tooMany(`What is below or above ${code}`, limit)
  return codes.map((one) => ({ system, code: one }))
}

const tooMany = (what: string, limit: number): FhirError =>
  new FhirError(422, { code: 'too-costly', diagnostics: `${what} has more than ${limit} codes, the most for a search` })
