/** Services, types of visits and specialties compared by their codes. */
import type { CodeableConcept } from 'fhir/r4'

type Concepts = readonly CodeableConcept[]

/** Each code as `system|code`. */
export const codesOf = (concepts: Concepts): readonly string[] =>
  concepts.flatMap(({ coding = [] }) => coding.flatMap(({ system = '', code }) => (code ? [`${system}|${code}`] : [])))

/** They have a code in common, or one of them names none. */
export function agree(some: Concepts = [], others: Concepts = []): boolean {
  const [codes, otherCodes] = [codesOf(some), codesOf(others)]
  return codes.length === 0 || otherCodes.length === 0 || codes.some((code) => otherCodes.includes(code))
}

/** Those of the first that have a code in common with the others. */
export function inCommon(some: Concepts, others: Concepts): CodeableConcept[] {
  const codes = codesOf(others)
  return some.filter((concept) => codesOf([concept]).some((code) => codes.includes(code)))
}
