/** What is found wrong with a resource under its profiles, each thing once. */
import type { Issue, IssueCode } from '../fhir/outcome.ts'
import { shortened } from '../fhir/validate/report.ts'

/** More would tell a client nothing new, and a hostile body must not fill the memory. */
const MAX_ISSUES = 100
/** Characters of a message; profiles bring texts of their own. */
const MAX_MESSAGE_LENGTH = 1_000

export interface Finding {
  readonly code: IssueCode
  /** FHIRPath of the element. */
  readonly path: string
  /** Goes on from the path: "is missing; …". */
  readonly said: string
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

  /** For whoever only asks whether there is an error. */
  static ofTrial(): Findings {
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

  add({ code, path, said, severity = 'error' }: Finding): void {
    const text = cut(`${path} ${said}`, MAX_MESSAGE_LENGTH)
    const key = `${severity} ${text}`
    if (this.full || this.#issues.has(key) || (this.#onlyErrors && severity !== 'error')) return
    if (severity === 'error') this.#errors++
    this.#issues.set(key, { severity, code, diagnostics: text, text, expression: path })
  }
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}...`)

/** A value in a message: JSON, not too long. */
export const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 200 ? text : shortened(text)
}
