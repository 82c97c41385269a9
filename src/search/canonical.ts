/**
 * References by canonical url (https://hl7.org/fhir/R4/references.html#canonical): a QuestionnaireResponse refers to
 * `http://x.org/q|1.0`, the Questionnaire with that `url` and `version`. In the index both have a reference to that
 * same text.
 */
import { resourceTypes } from '../fhir/definitions.ts'
import { isObject } from '../fhir/resource.ts'
import { searchParametersOf } from './parameters.ts'
import type { IndexEntry } from './plan.ts'

/** The parameter of references from a definition to its own canonical urls, with and without its version. */
export const CALLED = '_canonical'

/**
 * The parameter under which the canonicals of another parameter are followed; no search parameter has such a name, as
 * it contains a colon.
 */
export const canonicalParam = (code: string): string => `canonical:${code}`

const known = new Map<string, boolean>()

/** True when resources of the type have a `url` and a `version`. */
export function isDefinition(type: string): boolean {
  const answer = known.get(type) ?? hasUrlAndVersion(type)
  known.set(type, answer)
  return answer
}

function hasUrlAndVersion(type: string): boolean {
  const parameters = searchParametersOf(type)
  return parameters.get('url')?.type === 'uri' && parameters.get('version')?.type === 'token'
}

/** The types among `types` to which a canonical may lead; undefined: any type. */
export const definitionsAmong = (types: readonly string[] = resourceTypes): readonly string[] =>
  types.filter(isDefinition)

/** Adds the references from a definition to its own canonical urls. */
export function extractCalled(resource: object, entries: IndexEntry[]): void {
  if (!isObject(resource) || typeof resource.url !== 'string') return
  entries.push(entryOf(CALLED, resource.url))
  if (typeof resource.version === 'string') entries.push(entryOf(CALLED, `${resource.url}|${resource.version}`))
}

/** @param text as written; its fragment names a part of the definition, and is removed */
export function extractCanonical(code: string, text: string, entries: IndexEntry[]): void {
  const [canonical = ''] = text.split('#', 1)
  entries.push(entryOf(canonicalParam(code), canonical.endsWith('|') ? canonical.slice(0, -1) : canonical))
}

const entryOf = (param: string, id: string): IndexEntry => ({ kind: 'reference', param, type: '', id })
