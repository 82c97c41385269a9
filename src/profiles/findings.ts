/** Collects the issues of a profile check, without duplicates. */
import type { Issue, IssueCode } from '../fhir/outcome.ts'
import { shortened } from '../fhir/validate/report.ts'
import { spend } from '../isolation/budget.ts'

/**
 * Most errors, and most warnings and notes. More would not help a client, and a hostile body must not exhaust memory;
 * but warnings must not crowd out errors.
 */
const MAX_ISSUES = 100
/** One is left for the note that there are more. */
const MAX_OTHERS = MAX_ISSUES - 1
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
  readonly #maxErrors: number
  readonly #maxOthers: number
  readonly #issues = new Map<string, Issue>()
  #errors = 0
  #omitted = 0

  constructor(maxErrors = MAX_ISSUES, maxOthers = MAX_OTHERS) {
    this.#maxErrors = maxErrors
    this.#maxOthers = maxOthers
  }

  /** Stops at the first error, for callers that only need to know whether there is any. */
  static firstErrorOnly(): Findings {
    return new Findings(1, 0)
  }

  get issues(): readonly Issue[] {
    return this.#omitted === 0 ? [...this.#issues.values()] : [...this.#issues.values(), omitted(this.#omitted)]
  }

  /** No more errors can be added, so that the check can end. */
  get full(): boolean {
    return this.#errors >= this.#maxErrors
  }

  get hasErrors(): boolean {
    return this.#errors > 0
  }

  add({ code, path, message, severity = 'error' }: Finding): void {
    const text = cut(`${path} ${message}`, MAX_MESSAGE_LENGTH)
    const key = `${severity} ${text}`
    if (this.full || this.#issues.has(key)) return
    if (severity === 'error') this.#errors++
    else if (this.#issues.size - this.#errors >= this.#maxOthers) {
      this.#omitted++
      return
    }
    this.#issues.set(key, { severity, code, diagnostics: text, text, expression: path })
  }
}

function omitted(count: number): Issue {
  const text = `${count} more warnings and notes are not listed`
  return { severity: 'information', code: 'informational', diagnostics: text, text }
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
