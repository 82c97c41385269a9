/** The versions of extraction by search parameter, from which a store knows which resources to reindex. */
import { hash } from 'node:crypto'
import { resourceTypes } from '../../fhir/definitions.ts'
import { parseJson } from '../../fhir/json.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import { KEYS_VERSION, MATCH_KEYS } from '../../matching/keys.ts'
import { CALLED, isDefinition } from '../canonical.ts'
import { linkOf } from '../inner.ts'
import { indexedParametersOf, type SearchParameter } from '../parameters.ts'
import type { IndexEntry } from '../plan.ts'
import { CustomParameters } from './custom-parameters.ts'
import { CONTENT, extractEntries, FULL_TEXT_VERSION, KEPT_BY_STORE, TEXT } from './extract.ts'

/**
 * Raised with every change of the extracted entries, however small; test/search/index/versions.test.ts detects such
 * changes.
 */
const VERSION = 9

/** Raised for a type of parameter when its values are extracted differently from the same elements. */
const RULES: Readonly<Record<SearchParameter['type'], number>> = {
  string: 4,
  token: 4,
  reference: 3,
  date: 2,
  uri: 1,
  number: 2,
  quantity: 3,
  composite: 1,
  special: 1,
}

/** Raised when the canonical urls of definitions are extracted differently. */
const CALLED_VERSION = '1'

/**
 * @param baseUrl references below it are stored as relative ones
 * @param fullText words are extracted too
 */
export const extraction = (baseUrl: string, fullText = true) => ({
  version: VERSION,
  types: resourceTypes,
  parametersOf: fullText ? withWords : parametersOf,
  entriesOf: (_clinic: string, { text }: { readonly text: string }, custom?: unknown): readonly IndexEntry[] => {
    const resource = parseJson(text) as AnyResource
    return extractEntries(resource, baseUrl, CustomParameters.of(custom)?.extractorsOf(resource.resourceType), fullText)
  },
})

const known = new Map<string, ReadonlyMap<string, string>>()
let ofAll: string | undefined

/**
 * By code: a text that changes with the entries of the parameter. As any resource may contain one of any type, the text
 * for contained resources changes with every parameter.
 */
function parametersOf(type: string): ReadonlyMap<string, string> {
  const versions =
    known.get(type) ??
    new Map([...ownParametersOf(type), ...called(type), ...matched(type), [linkOf(type), versionOfAll()]])
  known.set(type, versions)
  return versions
}

const called = (type: string) => (isDefinition(type) ? [[CALLED, CALLED_VERSION] as const] : [])

const matched = (type: string) => (type === 'Patient' ? [[MATCH_KEYS, KEYS_VERSION] as const] : [])

const ownParametersOf = (type: string) => indexedParametersOf(type).flatMap(versionOf)

function versionOfAll(): string {
  ofAll ??= hashOf(JSON.stringify(resourceTypes.map((type) => [type, ownParametersOf(type)])))
  return ofAll
}

const withWords = (type: string): ReadonlyMap<string, string> =>
  new Map([...parametersOf(type), [TEXT, FULL_TEXT_VERSION], [CONTENT, FULL_TEXT_VERSION]])

function versionOf(parameter: SearchParameter) {
  const { code, parts = [] } = parameter
  if (KEPT_BY_STORE.has(code)) return []
  const made = JSON.stringify([...madeOf(parameter), ...parts.map((part) => [part.code, ...madeOf(part)])])
  return [[code, hashOf(made)] as const]
}

const hashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 8)

const madeOf = ({ type, expression, system, element, span, phonetic, canonical }: Omit<SearchParameter, 'parts'>) => [
  ...[RULES[type], type, expression, system, element, span],
  ...(phonetic === true ? ['phonetic'] : []),
  ...(canonical === true ? ['canonical'] : []),
]
