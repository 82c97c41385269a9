/** Which values resources are found by, so that what is stored can be told to have them, or be given them later. */
import { hash } from 'node:crypto'
import { resourceTypes } from '../fhir/definitions.ts'
import { parseJson } from '../fhir/json.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { CustomParameters } from './custom-parameters.ts'
import { extractEntries, KEPT_BY_STORE } from './extract.ts'
import { type IndexedParameter, indexedParametersOf } from './parameters.ts'
import type { IndexEntry } from './plan.ts'

/** Raised with every change of what is extracted, however small; test/search/extraction.test.ts says when. */
const VERSION = 1

/** Raised for a type of parameter when its values are made in another way from the same elements. */
const RULES: Readonly<Record<IndexedParameter['type'], number>> = {
  string: 1,
  token: 1,
  reference: 1,
  date: 1,
  uri: 1,
  number: 1,
  quantity: 1,
}

/** @param baseUrl references below it are stored as relative ones */
export const extraction = (baseUrl: string) => ({
  version: VERSION,
  types: resourceTypes,
  parametersOf,
  entriesOf: (_clinic: string, { text }: { readonly text: string }, custom?: unknown): readonly IndexEntry[] => {
    const resource = parseJson(text) as AnyResource
    return extractEntries(resource, baseUrl, CustomParameters.of(custom)?.extractorsOf(resource.resourceType))
  },
})

const known = new Map<string, ReadonlyMap<string, string>>()

/** By code: a text that changes with what is extracted for the parameter. */
function parametersOf(type: string): ReadonlyMap<string, string> {
  const versions = known.get(type) ?? new Map(indexedParametersOf(type).flatMap(versionOf))
  known.set(type, versions)
  return versions
}

function versionOf({ code, type, expression, system, element, span }: IndexedParameter) {
  if (KEPT_BY_STORE.has(code)) return []
  const made = JSON.stringify([RULES[type], type, expression, system, element, span])
  return [[code, hash('sha256', made, 'base64url').slice(0, 8)] as const]
}
