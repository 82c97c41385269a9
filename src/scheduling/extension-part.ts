/** A part of a complex extension, read by name; what is wrong with it is added to a list of issues. */
import type { Extension } from 'fhir/r4'
import type { Issue } from '../fhir/outcome.ts'

export interface PartNames {
  readonly single: readonly string[]
  readonly repeated: readonly string[]
}

/** Of the parts that are not known, those that are reported. */
const MAX_UNKNOWN = 20

export class ExtensionPart {
  readonly value: Extension
  /** FHIRPath. */
  readonly #path: string
  readonly #issues: Issue[]

  constructor(value: Extension, path: string, issues: Issue[]) {
    this.value = value
    this.#path = path
    this.#issues = issues
  }

  parts(name: string): readonly ExtensionPart[] {
    return (this.value.extension ?? []).flatMap((one, index) =>
      one.url === name ? new ExtensionPart(one, `${this.#path}.extension[${index}]`, this.#issues) : [],
    )
  }

  /** The first one, where there may be one only. */
  part(name: string): ExtensionPart | undefined {
    return this.parts(name)[0]
  }

  /** Reports parts that are not known, and those that are given twice though they hold a single value. */
  mustHaveOnly({ single, repeated }: PartNames): void {
    const given = (this.value.extension ?? []).map(({ url = '' }) => url)
    const known = [...single, ...repeated]
    for (const url of [...new Set(given)].filter((one) => !known.includes(one)).slice(0, MAX_UNKNOWN))
      this.report(`has the part '${url}', which is not known; known are ${known.join(', ')}`)
    for (const name of single)
      if (given.indexOf(name) !== given.lastIndexOf(name)) this.report(`has the part ${name} more than once`)
  }

  /** Undefined where it is absent, or wrong. */
  integer(name: string, min: number, max: number): number | undefined {
    const found = this.part(name)
    if (found === undefined) return undefined
    const value = Number(found.value.valuePositiveInt ?? found.value.valueUnsignedInt ?? found.value.valueInteger)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    const type = min === 0 ? 'valueUnsignedInt' : 'valuePositiveInt'
    found.report(`must have ${type} from ${min} to ${max}`)
    return undefined
  }

  /** Reports that the part is missing, where it is. */
  required<T>(value: T | undefined, name: string): T | undefined {
    if (this.part(name) === undefined) this.report(`must have the part ${name}`)
    return value
  }

  report(problem: string): void {
    const diagnostics = `The ${this.#name} ${problem}`
    this.#issues.push({ code: 'business-rule', diagnostics, expression: this.#path })
  }

  get #name(): string {
    const { url = '' } = this.value
    return url.slice(url.lastIndexOf('/') + 1)
  }
}
