/** The codes of an element, and whether they keep to a value set: https://hl7.org/fhir/R4/terminologies.html#strength. */
import { isObject } from '../fhir/resource.ts'
import type { BoundCode } from '../terminology/binding.ts'
import type { Item } from './item.ts'
import type { Knowledge } from './known-definitions.ts'

export type Membership =
  | { readonly is: 'in' | 'out' }
  /** There is no code that could be. */
  | { readonly is: 'none' }
  | { readonly is: 'unknown'; readonly why: string }

const PLAIN_CODES: ReadonlySet<string> = new Set(['code', 'string', 'uri', 'url', 'canonical', 'id', 'markdown'])

/** One code in the value set suffices. Undefined while the value set is not read yet. */
export function membershipOf(item: Item, valueSet: string, knowledge: Knowledge): Membership | undefined {
  let answer: Membership = { is: 'none' }
  for (const code of codesOf(item)) {
    const found = knowledge.isIn(valueSet, code)
    if (found === undefined) return undefined
    if (found.isIn === 'yes') return { is: 'in' }
    if (found.isIn === 'unknown') answer = { is: 'unknown', why: found.why ?? 'it cannot be told' }
    else if (answer.is === 'none') answer = { is: 'out' }
  }
  return answer
}

function codesOf({ type, value }: Item): readonly BoundCode[] {
  if (typeof value === 'string') return PLAIN_CODES.has(type) ? [{ code: value }] : []
  if (!isObject(value)) return []
  const codings = Array.isArray(value['coding']) ? value['coding'] : [value]
  return codings.flatMap(codeOf)
}

/** Without a system it is no code that a value set could have. */
function codeOf(coding: unknown): readonly BoundCode[] {
  const { system, code, version } = isObject(coding) ? coding : {}
  if (typeof code !== 'string') return []
  return [
    { system: typeof system === 'string' ? system : '', code, ...(typeof version === 'string' ? { version } : {}) },
  ]
}

/** What was found, for a message. */
export function codesSaid(item: Item): string {
  const codes = codesOf(item).slice(0, 5)
  if (codes.length === 0) return 'no code'
  return codes.map(({ system, code }) => (system === undefined ? code : `${system}|${code}`)).join(', ')
}

/** It has codes and none of them is in the value set of an extensible binding. */
export const besideExtensible = (item: Item, valueSet: string): string =>
  `has ${codesSaid(item)}; it should be a code of ${valueSet}, unless none of these fits`

/** A concept that says by an extension why it has no code, such as data-absent-reason. */
export const hasReasonForNone = ({ value, sibling }: Item): boolean =>
  isObject(value)
    ? value['extension'] !== undefined &&
      value['coding'] === undefined &&
      value['code'] === undefined &&
      value['text'] === undefined
    : value == null && isObject(sibling)
