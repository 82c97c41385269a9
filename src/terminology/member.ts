/** Codes, members of value sets (https://hl7.org/fhir/R4/valueset.html), and the reasons why an answer about them is unknown. */
import { hash } from 'node:crypto'
import type { CodeSystemConceptDesignation } from 'fhir/r4'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import type { Concepts } from './concepts.ts'

export type Designation = Pick<CodeSystemConceptDesignation, 'language' | 'use' | 'value'>

export interface Code {
  readonly system: string
  readonly code: string
  /** The version of the code system; any when absent. */
  readonly version?: string
}

export interface Member extends Code {
  readonly display?: string
  readonly designations: readonly Designation[]
  readonly isAbstract: boolean
  readonly isInactive: boolean
  /** The code system it was found in, if available. */
  readonly concepts?: Concepts
}

/** Whether a code is in a value set: unknown when that depends on codes that are not available. */
export type Membership =
  | { readonly status: 'in'; readonly member: Member }
  | { readonly status: 'out' }
  | { readonly status: 'unknown'; readonly reason: UnknownReason }

export const OUT: Membership = { status: 'out' }

export const isUnknownReason = (value: object): value is UnknownReason => 'diagnostics' in value

/** The length of a url or version; longer ones are digested. */
const MAX_IN_KEY = 500

/**
 * The key of a code of the system of a member in sets and maps. V8 does not hash keys of more than 16,383 characters: it compares
 * each of them with all others of the same length.
 */
export const keyOfCode = ({ system, version = '' }: Code, code: string): string =>
  `${inKey(system)}|${inKey(version)}|${code}`

const inKey = (text: string): string => (text.length <= MAX_IN_KEY ? text : hash('sha256', text))

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
