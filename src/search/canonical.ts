/**
 * References by canonical url (https://hl7.org/fhir/R4/references.html#canonical): a QuestionnaireResponse says
 * `http://x.org/q|1.0`, and the Questionnaire with that `url` and `version` is found by what it is called. Both have a
 * reference to the same text in the index.
 */
import { resourceTypes } from '../fhir/definitions.ts'
import { isObject } from '../fhir/resource.ts'
import { searchParametersOf } from './parameters.ts'
import type { IndexEntry } from './plan.ts'

/** The reference from a definition to what it is called: its url, and its url with its version. */
export const CALLED = '_canonical'

/** The reference by which a parameter that holds canonicals is followed; no parameter is called so, as a colon ends its name. */
export const canonicalParam = (code: string): string => `canonical:${code}`

const known = new Map<string, boolean>()

/** Whether resources of the type have a `url` and a `version`. */
export function isDefinition(type: string): boolean {
  const answer = known.get(type) ?? hasUrlAndVersion(type)
  known.set(type, answer)
  return answer
}

function hasUrlAndVersion(type: string): boolean {
  const parameters = searchParametersOf(type)
  return parameters.get('url')?.type === 'uri' && parameters.get('version')?.type === 'token'
}

/** Those of `types` that a canonical may lead to; undefined: any type. */
export const definitionsAmong = (types: readonly string[] = resourceTypes): readonly string[] =>
  types.filter(isDefinition)

/** What a definition is called. */
export function extractCalled(resource: object, entries: IndexEntry[]): void {
  if (!isObject(resource) || typeof resource.url !== 'string') return
  entries.push(entryOf(CALLED, resource.url))
  if (typeof resource.version === 'string') entries.push(entryOf(CALLED, `${resource.url}|${resource.version}`))
}

/** @param text as it is written; a fragment is a part of the definition */
export function extractCanonical(code: string, text: string, entries: IndexEntry[]): void {
  const [canonical = ''] = text.split('#', 1)
  entries.push(entryOf(canonicalParam(code), canonical.endsWith('|') ? canonical.slice(0, -1) : canonical))
}

const entryOf = (param: string, id: string): IndexEntry => ({ kind: 'reference', param, type: '', id })
