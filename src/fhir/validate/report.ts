/**
 * Collects the issues of a resource and tracks the current path, which is only formatted for an issue; and the parts of its
 * messages: the kind of a value, and the expected one.
 */

import { resourceTypeHint } from '../closest-name.ts'
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

/** Example values of the data types that clients get wrong most often. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['Address', '{"line":["534 Erewhon St"],"city":"PleasantVille","postalCode":"3999"}'],
  ['Annotation', '{"text":"Patient prefers mornings"}'],
  ['Attachment', '{"contentType":"application/pdf","data":"SGVsbG8="}'],
  ['CodeableConcept', '{"coding":[{"system":"http://loinc.org","code":"8867-4"}],"text":"Heart rate"}'],
  ['Coding', '{"system":"http://loinc.org","code":"8867-4"}'],
  ['ContactPoint', '{"system":"phone","value":"+1 555 0100"}'],
  ['Extension', '{"url":"http://example.org/fhir/StructureDefinition/note","valueString":"text"}'],
  ['HumanName', '{"family":"Chalmers","given":["Peter"]}'],
  ['Identifier', '{"system":"http://example.org/mrn","value":"12345"}'],
  ['Meta', '{"tag":[{"system":"http://example.org/tags","code":"demo"}]}'],
  ['Money', '{"value":120.5,"currency":"USD"}'],
  ['Narrative', '{"status":"generated","div":"<div xmlns=\\"http://www.w3.org/1999/xhtml\\">text</div>"}'],
  ['Period', '{"start":"2024-05-31","end":"2024-06-30"}'],
  ['Quantity', '{"value":72.5,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}'],
  ['Reference', '{"reference":"Patient/123"}'],
  ['Resource', '{"resourceType":"Patient","id":"p1"}'],
])

/** The JSON type of a value: `a string`, `an array`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && !(value instanceof Number)) return 'an object'
  return typeof value === 'object' ? 'a number' : `a ${typeof value}`
}

/** `an object of type HumanName, e.g. {...}` */
export function expectedObject(type: string): string {
  const example = EXAMPLES.get(type)
  return `an object${isBackbone(type) ? '' : ` of type ${type}`}${example === undefined ? '' : `, e.g. ${example}`}`
}

/** `an array of HumanName, e.g. [{...}]` */
export function expectedArray(type: string): string {
  const example = EXAMPLES.get(type)
  return `an array of ${isBackbone(type) ? 'objects' : type}${example === undefined ? '' : `, e.g. [${example}]`}`
}

/** A backbone element is named by its path, which the issue gives anyway. */
const isBackbone = (type: string): boolean => type.includes('.')

/** The first names of a list and the number of the others. */
export function abbreviatedList(names: readonly string[], shown = 12): string {
  const more = names.length - shown
  return names.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Continues a sentence that begins with the path of a resource. */
export function wrongResourceType(type: unknown): string {
  if (typeof type !== 'string') return 'must have a resourceType, e.g. {"resourceType":"Patient"}'
  return `has a resourceType that R4 does not know; ${resourceTypeHint(type)}`
}
