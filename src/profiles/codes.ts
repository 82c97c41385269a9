/**
 * The codes of an element, and whether they are in the value set of a binding:
 * https://hl7.org/fhir/R4/terminologies.html#strength.
 */
import { isObject } from '../fhir/resource.ts'
import type { BoundCode } from '../terminology/binding.ts'
import type { KnownDefinitions } from './known-definitions.ts'
import type { TypedElement } from './typed-element.ts'

export type BindingResult =
  | { readonly kind: 'in' | 'out' }
  /** The element has no code. */
  | { readonly kind: 'no-code' }
  | { readonly kind: 'unknown'; readonly why: string }

const PLAIN_CODES: ReadonlySet<string> = new Set(['code', 'string', 'uri', 'url', 'canonical', 'id', 'markdown'])

/** One code in the value set suffices. Undefined while the value set is not loaded yet. */
export function checkBinding(
  item: TypedElement,
  valueSet: string,
  definitions: KnownDefinitions,
): BindingResult | undefined {
  let result: BindingResult = { kind: 'no-code' }
  for (const code of codesOf(item)) {
    const found = definitions.isIn(valueSet, code)
    if (found === undefined) return undefined
    if (found.isIn === 'yes') return { kind: 'in' }
    if (found.isIn === 'unknown') result = { kind: 'unknown', why: found.why ?? 'its codes cannot be determined' }
    else if (result.kind === 'no-code') result = { kind: 'out' }
  }
  return result
}

function codesOf({ type, value }: TypedElement): readonly BoundCode[] {
  if (typeof value === 'string') return PLAIN_CODES.has(type) ? [{ code: value }] : []
  if (!isObject(value)) return []
  const codings = Array.isArray(value['coding']) ? value['coding'] : [value]
  return codings.flatMap(codeOf)
}

/** A coding without a system is not in any value set. */
function codeOf(coding: unknown): readonly BoundCode[] {
  const { system, code, version } = isObject(coding) ? coding : {}
  if (typeof code !== 'string') return []
  return [
    { system: typeof system === 'string' ? system : '', code, ...(typeof version === 'string' ? { version } : {}) },
  ]
}

/** The codes, for a message. */
export function formatCodes(item: TypedElement): string {
  const codes = codesOf(item).slice(0, 5)
  if (codes.length === 0) return 'no code'
  return codes.map(({ system, code }) => (system === undefined ? code : `${system}|${code}`)).join(', ')
}

/** The message for codes that are not in the value set of an extensible binding. */
export const extensibleMessage = (item: TypedElement, valueSet: string): string =>
  `has ${formatCodes(item)}; it should be a code of ${valueSet}, unless none of these fits`

/** Whether the value consists of extensions, such as data-absent-reason. */
export const hasOnlyExtensions = ({ value, sibling }: TypedElement): boolean =>
  isObject(value)
    ? value['extension'] !== undefined &&
      value['coding'] === undefined &&
      value['code'] === undefined &&
      value['text'] === undefined
    : value == null && isObject(sibling)
