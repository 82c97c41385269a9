/** Codes, and members of value sets: https://hl7.org/fhir/R4/valueset.html. */
import { hash } from 'node:crypto'
import type { CodeSystemConceptDesignation } from 'fhir/r4'
import type { Concepts } from './concepts.ts'
import type { UnknownReason } from './unknown-reason.ts'

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
