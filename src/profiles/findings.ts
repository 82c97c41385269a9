/** Collects the issues of a profile check, without duplicates. */
import { spend } from '../budget/budget.ts'
import type { Issue, IssueCode } from '../fhir/outcome.ts'
import { shortened } from '../fhir/validate/report.ts'

/** More would not help a client, and a hostile body must not exhaust memory. */
const MAX_ISSUES = 100
/** In characters; messages may include texts of profiles. */
const MAX_MESSAGE_LENGTH = 1_000

export interface Finding {
  readonly code: IssueCode
  /** FHIRPath of the element. */
  readonly path: string
  /** Continues a sentence that begins with the path: "is missing; …". */
  readonly message: string
  readonly severity?: 'error' | 'warning' | 'information'
}

export class Findings {
  readonly #maxIssues: number
  readonly #onlyErrors: boolean
  readonly #issues = new Map<string, Issue>()
  #errors = 0

  constructor(maxIssues = MAX_ISSUES, onlyErrors = false) {
    this.#maxIssues = maxIssues
    this.#onlyErrors = onlyErrors
  }

  /** Stops at the first error, for callers that only need to know whether there is any. */
  static firstErrorOnly(): Findings {
    return new Findings(1, true)
  }

  get issues(): readonly Issue[] {
    return [...this.#issues.values()]
  }

  get full(): boolean {
    return this.#issues.size >= this.#maxIssues
  }

  get hasErrors(): boolean {
    return this.#errors > 0
  }

  add({ code, path, message, severity = 'error' }: Finding): void {
    const text = cut(`${path} ${message}`, MAX_MESSAGE_LENGTH)
    const key = `${severity} ${text}`
    if (this.full || this.#issues.has(key) || (this.#onlyErrors && severity !== 'error')) return
    if (severity === 'error') this.#errors++
    this.#issues.set(key, { severity, code, diagnostics: text, text, expression: path })
  }
}

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max)}...`)

/** Characters that are written in a microsecond. */
const CHARACTERS_PER_STEP = 100

/** A value as JSON for a message, shortened when long. */
export const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  spend(text.length / CHARACTERS_PER_STEP, 'the values that its profiles ask for')
  return text.length <= 200 ? text : shortened(text)
}
