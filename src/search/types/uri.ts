/** Uri parameters: https://hl7.org/fhir/R4/search.html#uri. Compared exactly, case included. */
import { isDefinition } from '../canonical.ts'
import type { Condition, IndexEntry } from '../plan.ts'
import { malformed, unescaped, type ValueContext } from '../value.ts'

export const URI_MODIFIERS = ['below', 'above'] as const

/**
 * Parses a uri. Without a modifier it matches the whole text; below, values that begin with it; above, values that it
 * begins with.
 */
export function parseUri(param: string, modifier: string | undefined, text: string, context: ValueContext): Condition {
  const value = unescaped(text)
  if (modifier === undefined) return { kind: 'uri', param, match: 'exact', value }
  if (/^urn:/i.test(value)) throw malformed(context, value, `is a URN, and :${modifier} compares URLs`)
  return { kind: 'uri', param, match: modifier === 'above' ? 'above' : 'below', value }
}

/**
 * Parses `url=http://x.org/a|1.0`: the definition of that `url` whose `version` is 1.0, the form of canonical
 * references (https://hl7.org/fhir/R4/references.html#canonical).
 */
export function parseUrl(param: string, modifier: string | undefined, text: string, context: ValueContext): Condition {
  const condition = parseUri(param, modifier, text, context)
  const value = unescaped(text)
  const bar = value.lastIndexOf('|')
  if (modifier !== undefined || bar <= 0 || !context.types.every(isDefinition)) return condition
  const url: Condition = { kind: 'uri', param, match: 'exact', value: value.slice(0, bar) }
  // In lower case, as the parameter `version` is indexed (token.ts).
  const code = value.slice(bar + 1).toLowerCase()
  if (code === '') return url
  return { kind: 'any', of: [condition, { kind: 'all', of: [url, { kind: 'token', param: 'version', code }] }] }
}

/** Extracts a uri; a canonical with a version (`meta.profile`) is found with and without it. */
export function extractUri(param: string, value: unknown, entries: IndexEntry[]): void {
  if (typeof value !== 'string') return
  entries.push({ kind: 'uri', param, value })
  const bar = value.lastIndexOf('|')
  if (bar > 0) entries.push({ kind: 'uri', param, value: value.slice(0, bar) })
}
