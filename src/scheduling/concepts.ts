/** Compares services, types of visits and specialties by their codes. */
import type { CodeableConcept } from 'fhir/r4'

type Concepts = readonly CodeableConcept[]

/** All codes as `system|code`. */
export const codesOf = (concepts: Concepts): readonly string[] =>
  concepts.flatMap(({ coding = [] }) => coding.flatMap(({ system = '', code }) => (code ? [`${system}|${code}`] : [])))

/** True if they have a code in common, or either has no code. */
export function agree(some: Concepts = [], others: Concepts = []): boolean {
  const [codes, otherCodes] = [codesOf(some), codesOf(others)]
  return codes.length === 0 || otherCodes.length === 0 || codes.some((code) => otherCodes.includes(code))
}

/** The concepts of the first list with a code that also occurs in the second. */
export function inCommon(some: Concepts, others: Concepts): CodeableConcept[] {
  const codes = codesOf(others)
  return some.filter((concept) => codesOf([concept]).some((code) => codes.includes(code)))
}
