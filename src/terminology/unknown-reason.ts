/** Why a terminology question cannot be answered, and what the client can do about it. */
import { FhirError, type Issue } from '../fhir/outcome.ts'

/** The reason why a result is unknown: reported as an error when the result is required, else as a warning. */
export type UnknownReason = Issue

/** 422: the result is required, but unknown. */
export const unknownError = (reason: UnknownReason): FhirError => new FhirError(422, reason)

/** 404: a definition that the request names is not available. */
export const unknownCanonical = (what: string, canonical: string): FhirError =>
  new FhirError(404, {
    code: 'not-found',
    diagnostics: `There is no ${what} ${canonical} here: neither the clinic nor the R4 packages have it`,
  })

export const codesNotAvailable = (canonical: string): UnknownReason => ({
  code: 'not-found',
  diagnostics: `The codes of ${canonical} are not here, neither in the clinic nor in the R4 packages (SNOMED CT, LOINC, RxNorm, CPT and the like are licensed or too large); store a CodeSystem with its codes`,
})

export const codeSystemIncomplete = (canonical: string, content: string | undefined, code: string): UnknownReason => ({
  code: 'incomplete',
  diagnostics: `Only a part of ${canonical} is here (content is '${content ?? 'unknown'}'), and ${code} is not in it; whether it exists is not known`,
})

export const codesNotListable = (canonical: string): UnknownReason => ({
  code: 'too-costly',
  diagnostics: `The codes of ${canonical} follow a grammar and are infinitely many; they can be checked one by one, but not listed`,
})
