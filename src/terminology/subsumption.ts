/** Whether one code subsumes another: https://hl7.org/fhir/R4/codesystem-operation-subsumes.html. */
import { unprocessable } from '../fhir/outcome.ts'
import type { Concept, Concepts } from './concepts.ts'
import { noSuchCode } from './lookup.ts'

export type Subsumption = 'equivalent' | 'subsumes' | 'subsumed-by' | 'not-subsumed'

/** The relation of A to B. @throws FhirError 404 for an unknown code, 422 when the hierarchy does not mean is-a */
export function subsumption(concepts: Concepts, codeA: string, codeB: string): Subsumption {
  const { url = '', hierarchyMeaning = 'is-a' } = concepts.system
  const [a, b] = [known(concepts, codeA), known(concepts, codeB)]
  if (a.code === b.code) return 'equivalent'
  if (hierarchyMeaning !== 'is-a')
    throw unprocessable(
      `The hierarchy of ${url} means ${hierarchyMeaning}, so it does not tell which code subsumes which`,
    )
  if (concepts.ancestorsOf(b.code).has(a.code)) return 'subsumes'
  return concepts.ancestorsOf(a.code).has(b.code) ? 'subsumed-by' : 'not-subsumed'
}

function known(concepts: Concepts, code: string): Concept {
  const found = concepts.find(code)
  if (found === undefined) throw noSuchCode(code, concepts.system.url ?? '')
  return found
}
