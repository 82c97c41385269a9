/** Collects the issues of a resource and tracks the current path, which is only formatted for an issue. */
import type { Issue, IssueCode } from '../outcome.ts'

/**
 * Most errors, and most warnings. More would not help a client, and a hostile body must not exhaust memory; but
 * warnings must not crowd out errors.
 */
const MAX_ISSUES = 50

const MAX_SHOWN_LENGTH = 64
const IDENTIFIER = /^[A-Za-z_]\w*$/

/** A name in FHIRPath syntax, truncated when too long. */
function pathName(name: string): string {
  if (IDENTIFIER.test(name) && name.length <= MAX_SHOWN_LENGTH) return name
  return `\`${shortened(name)}\``
}

export const shortened = (text: string): string =>
  text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}...`

export class Report {
  readonly issues: Issue[] = []
  readonly #steps: (string | number)[]
  #errors = 0

  constructor(root: string) {
    this.#steps = [root]
  }

  enter(step: string | number): void {
    this.#steps.push(step)
  }

  leave(): void {
    this.#steps.pop()
  }

  /** No more errors can be added, so that the validation can end. */
  get full(): boolean {
    return this.#errors >= MAX_ISSUES
  }

  /**
   * Adds an issue; `message` continues a sentence that begins with the path: "must be a date". `child` is a child of
   * the current element.
   */
  add(code: IssueCode, message: string, child?: string, severity: 'error' | 'warning' = 'error'): void {
    if (this.full || (severity === 'warning' && this.issues.length - this.#errors >= MAX_ISSUES)) return
    if (severity === 'error') this.#errors++
    const expression = child === undefined ? this.#path() : `${this.#path()}.${pathName(child)}`
    this.issues.push({ severity, code, diagnostics: `${expression} ${message}`, expression })
  }

  #path(): string {
    const [root, ...steps] = this.#steps
    return steps.reduce<string>(
      (path, step) => (typeof step === 'number' ? `${path}[${step}]` : `${path}.${step}`),
      String(root),
    )
  }
}
