/** What terminology cannot answer, said so that the client knows what would help. */
import { FhirError, type Issue } from '../fhir/outcome.ts'

/** Why an answer is not known: an error where the answer is needed, a warning where it only would have helped. */
export type Gap = Issue

export const gapError = (gap: Gap): FhirError => new FhirError(422, gap)

/** 404: what the request itself names is not here. */
export const unknownCanonical = (what: string, canonical: string): FhirError =>
  new FhirError(404, {
    code: 'not-found',
    diagnostics: `There is no ${what} ${canonical} here: neither the clinic nor the R4 packages have it`,
  })

export const systemNotHeld = (canonical: string): Gap => ({
  code: 'not-found',
  diagnostics: `The codes of ${canonical} are not here, neither of the clinic nor in the R4 packages (SNOMED CT, LOINC, RxNorm, CPT and the like are licensed or too large); store a CodeSystem with its codes`,
})

export const systemNotComplete = (canonical: string, content: string, code: string): Gap => ({
  code: 'incomplete',
  diagnostics: `Of ${canonical} only a part is here (content is '${content}'), and ${code} is not in it; whether there is such a code cannot be told`,
})

export const systemWithoutEnd = (canonical: string): Gap => ({
  code: 'too-costly',
  diagnostics: `The codes of ${canonical} follow a grammar and have no end; they can be checked one by one, not listed`,
})
