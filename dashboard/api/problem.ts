/** Failures of requests, in the server's words. */
import type { OperationOutcome, OperationOutcomeIssue } from 'fhir/r4'

export interface ProblemIssue {
  readonly text: string
  /** FHIRPath of the element that it is about. */
  readonly expression?: string | undefined
  /** Undefined where an extension stands in its place. */
  readonly severity: string | undefined
}

export class Problem extends Error {
  /** The HTTP status; 0: the server did not respond. */
  readonly status: number
  readonly issues: readonly ProblemIssue[]
  /** The server's reason code: `sandbox-off`. */
  readonly reason: string | undefined
  readonly body: unknown

  constructor(
    status: number,
    issues: readonly ProblemIssue[],
    { reason, body }: { reason?: string | undefined; body?: unknown } = {},
  ) {
    super(issues.map(({ text }) => text).join(' ') || `The server responded with ${status}`)
    this.name = 'Problem'
    this.status = status
    this.issues = issues
    this.reason = reason
    this.body = body
  }

  /** The server cannot be reached, or is being restarted: it is worth trying again. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504
  }
}

/** Whether it is worth trying again. */
export const isPassing = (error: unknown): error is Problem => error instanceof Problem && error.isPassing

/** The problem of several that is told: one that is worth trying again, else the first. */
export const foremostOf = (problems: readonly unknown[]): unknown => problems.find(isPassing) ?? problems[0]

/** Anything that was thrown, in words. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The error to show when an undo fails: a plainer sentence where a newer version exists. */
export const notTakenBack = (error: unknown): unknown =>
  error instanceof Problem && error.status === 412
    ? new Error('It has been changed since, so nothing is undone.')
    : error

export const unreachable = (): Problem => new Problem(0, [{ text: 'The server is not responding.', severity: 'error' }])

/** @param body an OperationOutcome, or `{"error": …}` of the routes beside FHIR's */
export function problemOf(status: number, body: unknown): Problem {
  const outcome = outcomeIn(body)
  if (outcome !== undefined) {
    const codings = outcome.issue.flatMap(({ details }) => details?.coding ?? [])
    const reason = codings.find(({ system }) => system?.endsWith('/CodeSystem/reason'))?.code
    return new Problem(status, outcome.issue.map(issueOf), { reason, body })
  }
  const { error, code } = isRecord(body) ? body : {}
  const text = typeof error === 'string' ? error : `The server responded with ${status}`
  const issue = { text, severity: 'error' }
  return new Problem(status, [issue], { reason: typeof code === 'string' ? code : undefined, body })
}

/** A sentence of a refusal, with the element that it is about. */
export type Wrong = Pick<ProblemIssue, 'text' | 'expression'>

/** Anything that was thrown, as sentences. */
export const issuesOf = (error: unknown): readonly Wrong[] =>
  error instanceof Problem ? error.issues : [{ text: errorText(error) }]

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const outcomeIn = (body: unknown): OperationOutcome | undefined =>
  isRecord(body) && body.resourceType === 'OperationOutcome' ? (body as unknown as OperationOutcome) : undefined

/** The findings of an OperationOutcome; undefined for any other body. */
export const issuesIn = (body: unknown): readonly ProblemIssue[] | undefined => outcomeIn(body)?.issue.map(issueOf)

const issueOf = ({ diagnostics, details, expression, severity, code }: OperationOutcomeIssue): ProblemIssue => ({
  text: diagnostics ?? details?.text ?? code ?? 'The server did not say what is wrong.',
  expression: expression?.[0] ?? undefined,
  severity,
})
