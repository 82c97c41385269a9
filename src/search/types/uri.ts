/** Uri parameters: https://hl7.org/fhir/R4/search.html#uri. Compared exactly, case included. */
import type { Condition, IndexEntry } from '../plan.ts'
import { malformed, unescaped, type ValueContext } from '../value.ts'

export const URI_MODIFIERS = ['below', 'above'] as const

export function parseUri(param: string, modifier: string | undefined, text: string, context: ValueContext): Condition {
  const value = unescaped(text)
  if (modifier === undefined) return { kind: 'uri', param, match: 'exact', value }
  if (/^urn:/i.test(value))
    throw malformed(context, value, `has no levels, so :${modifier} cannot compare it; only URLs have`)
  return { kind: 'uri', param, match: modifier === 'above' ? 'above' : 'below', value }
}

/** A canonical with a version (`meta.profile`) is found with and without it. */
export function extractUri(param: string, value: unknown, entries: IndexEntry[]): void {
  if (typeof value !== 'string') return
  entries.push({ kind: 'uri', param, value })
  const bar = value.lastIndexOf('|')
  if (bar > 0) entries.push({ kind: 'uri', param, value: value.slice(0, bar) })
}
