/** Errors as OperationOutcome, which only this module creates: https://hl7.org/fhir/R4/operationoutcome.html. */
import type { OperationOutcome, OperationOutcomeIssue } from 'fhir/r4'

export type IssueCode = OperationOutcomeIssue['code']

export interface Issue {
  readonly severity?: OperationOutcomeIssue['severity']
  readonly code: IssueCode
  /**
   * The problem, its place, and what would be valid. It may quote the request but never stored data; as the request may
   * hold patient data, diagnostics are sent to the client and not logged.
   */
  readonly diagnostics: string
  /** FHIRPath of the element at fault, e.g. `Patient.name[0].family`. */
  readonly expression?: string | readonly string[]
  /** A text that a client can display to its user as is; becomes issue.details.text. */
  readonly text?: string
  /** Our stable, machine-readable code, e.g. `slot-unavailable`; becomes issue.details.coding. */
  readonly reason?: string
}

/** The code system of `Issue.reason`. */
const REASON_SYSTEM = 'https://sandbox-emr.example/fhir/CodeSystem/reason'

/** Any failure reported to the client: an HTTP status and the issues of its OperationOutcome. */
export class FhirError extends Error {
  readonly status: number
  readonly issues: readonly Issue[]
  /** Response headers that belong to the failure, e.g. `allow` with 405 or `retry-after` with 429. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, issues: Issue | readonly Issue[], headers: Readonly<Record<string, string>> = {}) {
    const list: readonly Issue[] = Array.isArray(issues) ? issues : [issues as Issue]
    super(list.map((issue) => issue.diagnostics).join('; '))
    this.name = 'FhirError'
    this.status = status
    this.issues = list
    this.headers = headers
  }

  /** The stable code of the first issue: its `reason`, else its FHIR issue code. */
  get code(): string {
    const first = this.issues[0]
    return first?.reason ?? first?.code ?? 'exception'
  }
}

type Where = Pick<Issue, 'expression' | 'reason'>

/** 400: the request is malformed. */
export const badRequest = (diagnostics: string, where: Where = {}): FhirError =>
  new FhirError(400, { code: 'invalid', diagnostics, ...where })

/** 404: no such resource, or one of another clinic, which must look the same. */
export const notFound = (diagnostics: string): FhirError => new FhirError(404, { code: 'not-found', diagnostics })

/** 410: the resource was deleted. */
export const gone = (diagnostics: string): FhirError => new FhirError(410, { code: 'deleted', diagnostics })

/** 409: the write conflicts with a concurrent change. */
export const conflict = (diagnostics: string, where: Where = {}): FhirError =>
  new FhirError(409, { code: 'conflict', diagnostics, ...where })

/** 412: If-Match or another precondition of the request failed. */
export const preconditionFailed = (diagnostics: string): FhirError =>
  new FhirError(412, { code: 'conflict', diagnostics })

/** 422: well-formed, but violates a rule of the resource. */
export const unprocessable = (diagnostics: string, where: Where = {}): FhirError =>
  new FhirError(422, { code: 'business-rule', diagnostics, ...where })

/** A note for the client beside a result. */
export const information = (diagnostics: string, expression?: string): Issue => ({
  severity: 'information',
  code: 'informational',
  diagnostics,
  ...(expression === undefined ? {} : { expression }),
})

export function toOutcome(issues: readonly Issue[]): OperationOutcome {
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map(({ severity = 'error', code, diagnostics, expression, text, reason }) => ({
      severity,
      code,
      ...detailsOf(text, reason),
      diagnostics,
      ...(expression === undefined
        ? {}
        : { expression: typeof expression === 'string' ? [expression] : [...expression] }),
    })),
  }
}

const detailsOf = (text: string | undefined, reason: string | undefined): Pick<OperationOutcomeIssue, 'details'> =>
  text === undefined && reason === undefined
    ? {}
    : {
        details: {
          ...(reason === undefined ? {} : { coding: [{ system: REASON_SYSTEM, code: reason }] }),
          ...(text === undefined ? {} : { text }),
        },
      }
