/** Codes, and what a value set tells of those that it has: https://hl7.org/fhir/R4/valueset.html. */
import type { CodeSystemConceptDesignation } from 'fhir/r4'
import type { Concepts } from './concepts.ts'
import type { Gap } from './missing-terms.ts'

export type Designation = Pick<CodeSystemConceptDesignation, 'language' | 'use' | 'value'>

export interface Code {
  readonly system: string
  readonly code: string
  /** Of the code system; absent: whichever is held. */
  readonly version?: string
}

export interface Member extends Code {
  readonly display?: string
  readonly designations: readonly Designation[]
  readonly isAbstract: boolean
  readonly isInactive: boolean
  /** The code system it was found in, where its codes are here. */
  readonly concepts?: Concepts
}

/** An answer that depends on codes which are not here is neither yes nor no. */
export type Membership =
  | { readonly is: 'in'; readonly member: Member }
  | { readonly is: 'out' }
  | { readonly is: 'unknown'; readonly gap: Gap }

export const OUT: Membership = { is: 'out' }

export const isGap = (value: object): value is Gap => 'diagnostics' in value
