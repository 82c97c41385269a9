/** Collects what is wrong with a resource and knows where the check stands; a path becomes text only for an issue. */
import type { Issue, IssueCode } from '../outcome.ts'

/** More would tell a client nothing new, and a hostile body must not fill the memory. */
const MAX_ISSUES = 50

const LONGEST_NAME = 64
const IDENTIFIER = /^[A-Za-z_]\w*$/

/** A name as FHIRPath writes it, cut where a client sent a monster. */
function pathName(name: string): string {
  if (IDENTIFIER.test(name) && name.length <= LONGEST_NAME) return name
  return `\`${shortened(name)}\``
}

export const shortened = (text: string): string =>
  text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME)}...`

export class Report {
  readonly issues: Issue[] = []
  readonly #steps: (string | number)[]

  constructor(root: string) {
    this.#steps = [root]
  }

  enter(step: string | number): void {
    this.#steps.push(step)
  }

  leave(): void {
    this.#steps.pop()
  }

  get full(): boolean {
    return this.issues.length >= MAX_ISSUES
  }

  /** `said` goes on from the path: "must be a date". `child` names an element below the current one. */
  add(code: IssueCode, said: string, child?: string, severity: 'error' | 'warning' = 'error'): void {
    if (this.full) return
    const expression = child === undefined ? this.#path() : `${this.#path()}.${pathName(child)}`
    this.issues.push({ severity, code, diagnostics: `${expression} ${said}`, expression })
  }

  #path(): string {
    const [root, ...steps] = this.#steps
    return steps.reduce<string>(
      (path, step) => (typeof step === 'number' ? `${path}[${step}]` : `${path}.${step}`),
      String(root),
    )
  }
}
