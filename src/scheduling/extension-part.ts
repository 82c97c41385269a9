/** A part of a complex extension, read by name; errors are added to a list of issues. */
import type { Extension } from 'fhir/r4'
import type { Issue } from '../fhir/outcome.ts'

export interface PartNames {
  readonly single: readonly string[]
  readonly repeated: readonly string[]
}

/** Most unknown parts that are reported. */
const MAX_UNKNOWN = 20

export class ExtensionPart {
  readonly value: Extension
  /** FHIRPath of the part. */
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

  /** The first part with this name, for parts that may not repeat. */
  part(name: string): ExtensionPart | undefined {
    return this.parts(name)[0]
  }

  /** Reports unknown parts, and repetitions of parts that may not repeat. */
  mustHaveOnly({ single, repeated }: PartNames): void {
    const given = (this.value.extension ?? []).map(({ url = '' }) => url)
    const known = [...single, ...repeated]
    for (const url of [...new Set(given)].filter((one) => !known.includes(one)).slice(0, MAX_UNKNOWN))
      this.report(`has the part '${url}', which is not known; known are ${known.join(', ')}`)
    for (const name of single)
      if (given.indexOf(name) !== given.lastIndexOf(name)) this.report(`has the part ${name} more than once`)
  }

  /** Returns undefined if the part is absent or invalid. */
  integer(name: string, min: number, max: number): number | undefined {
    const found = this.part(name)
    if (found === undefined) return undefined
    const value = Number(found.value.valuePositiveInt ?? found.value.valueUnsignedInt ?? found.value.valueInteger)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    const type = min === 0 ? 'valueUnsignedInt' : 'valuePositiveInt'
    found.report(`must have ${type} from ${min} to ${max}`)
    return undefined
  }

  /** Reports the part if it is missing. */
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
