/** The search parameters of every type: https://hl7.org/fhir/R4/searchparameter-registry.html, and the server's own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchParameter as SearchParameterResource } from 'fhir/r4'
import { closestName } from '../fhir/closest-name.ts'
import { isResourceType } from '../fhir/definitions.ts'
import { badRequest, type FhirError } from '../fhir/outcome.ts'
import { valuesIn } from '../fhir/resource.ts'
import { expressionFor } from './expression.ts'

/** The parameter types that are offered; to offer another one, add it here and its parser to query/criterion.ts. */
export const SERVED_TYPES = [
  ...(['string', 'token', 'reference', 'date', 'uri', 'number', 'quantity', 'composite', 'special'] as const),
] as const

export type ServedType = (typeof SERVED_TYPES)[number]

/** A row of resources/r4/search-parameters.json. */
export interface SearchParameterRecord {
  readonly code: string
  readonly type: SearchParameterResource['type']
  readonly url: string
  /** The part of the FHIRPath expression that concerns the type of the row. */
  readonly expression: string
  /** Types that a reference may point to; `*`: any. */
  readonly target?: readonly string[]
  /** Set for references whose values are canonicals, or may be. */
  readonly canonical?: true
  /**
   * The length of indexed ranges. instant: a point in time; date: a day, month, year or less; absent: any length (a
   * Period). https://hl7.org/fhir/R4/search.html#date
   */
  readonly span?: 'instant' | 'date'
  /** True when a resource has one value at most, so that two conditions must hold for the same one. */
  readonly single?: boolean
  /** The code system of a `code` element, whose values do not contain it. */
  readonly system?: string
  /**
   * The type of the elements, where it is one of these. Of a token: `code` where `system` is known, otherwise `string`;
   * `mixed` for several types of which some ignore case. Of a string: names or addresses, whole ones or parts.
   */
  readonly element?: 'ContactPoint' | 'Identifier' | 'boolean' | 'code' | 'string' | 'mixed' | 'HumanName' | 'Address'
  /** True when values are compared by sound. */
  readonly phonetic?: boolean
  /** The parts of a composite. */
  readonly component?: readonly { readonly definition: string; readonly expression: string }[]
}

export interface SearchParameter extends SearchParameterRecord {
  readonly type: ServedType
  /** The parts of a composite, in order. */
  readonly parts?: readonly ComponentParameter[]
}

/** A parameter as a part of a composite: its expression applies to one repetition. */
export interface ComponentParameter extends SearchParameterRecord {
  readonly type: Exclude<ServedType, 'composite' | 'special'>
}

const RESOURCES = join(import.meta.dirname, '..', '..', 'resources')

type Records = Readonly<Record<string, readonly SearchParameterRecord[]>>

/** Parameters of extensions, by resource type. */
let added: Readonly<Record<string, readonly SearchParameter[]>> = {}
let loaded: { readonly official: Records; readonly own: Records } | undefined
/** Parameters by resource type. */
const cache = new Map<string, ReadonlyMap<string, SearchParameter>>()
const NONE: ReadonlyMap<string, SearchParameter> = new Map()

/**
 * All parameters served for a type by code, including those of every resource (`_id`, `_tag`); none for an unknown
 * type.
 */
export function searchParametersOf(type: string): ReadonlyMap<string, SearchParameter> {
  const known = cache.get(type)
  if (known !== undefined) return known
  if (!isResourceType(type)) return NONE
  const parameters = recordsOf(type)
    .filter(isOffered)
    .map((record) => (record.component === undefined ? record : { ...record, parts: partsOf(type, record.component) }))
  const byCode = new Map(parameters.map((parameter) => [parameter.code, parameter]))
  cache.set(type, byCode)
  return byCode
}

function recordsOf(type: string): readonly SearchParameterRecord[] {
  loaded ??= {
    official: readJson(RESOURCES, 'r4', 'search-parameters.json') as Records,
    own: searchParametersIn(join(RESOURCES, 'search-parameters')),
  }
  const { official, own } = loaded
  const known = ['Resource', 'DomainResource', type].flatMap((base) => [
    ...(official[base] ?? []),
    ...(own[base] ?? []),
  ])
  return [...known, ...(added[type] ?? [])]
}

/**
 * Adds the parameters of extensions, by resource type: served and indexed in every clinic of every app of this process
 * (src/extensions/definitions.ts).
 * @throws Error once parameters have been used: resources stored so far would lack the values
 */
export function addSearchParameters(parameters: typeof added): void {
  if (cache.size > 0) throw new Error('Search parameters are in use already; extensions add theirs before that')
  added = parameters
}

/** True for a parameter of an extension. */
export const isAdded = (parameter: SearchParameter): boolean =>
  Object.values(added).some((parameters) => parameters.includes(parameter))

/** A parameter that R4, or this server, defines for a type or for every resource, served or not. */
export const definedParameter = (type: string, code: string): SearchParameterRecord | undefined =>
  recordsOf(type).find((record) => record.code === code)

/**
 * The parts of a composite parameter of `type`.
 * @throws Error naming the definition that cannot be a part
 */
export const partsOf = (
  type: string,
  component: NonNullable<SearchParameterRecord['component']>,
): readonly ComponentParameter[] =>
  component.map(({ definition, expression }) => {
    const [url] = definition.split('|', 1)
    const found = recordsOf(type).find((record) => record.url === url)
    if (found === undefined || !isComponent(found))
      throw new Error(`${definition} can't be a part of a composite search parameter of ${type}`)
    return { ...found, expression }
  })

const isComponent = (record: SearchParameterRecord): record is ComponentParameter =>
  isOffered(record) && record.type !== 'composite' && record.type !== 'special'

/** The parameters whose values are stored with a resource of the type. */
export const indexedParametersOf = (type: string): readonly SearchParameter[] => [...searchParametersOf(type).values()]

const isOffered = (record: SearchParameterRecord): record is SearchParameter =>
  SERVED_TYPES.some((type) => type === record.type)

/**
 * FHIR SearchParameter resources (*.json) of a folder by base type; none when there is no such folder.
 * @throws Error naming the file that cannot be used
 */
export function searchParametersIn(folder: string): Records {
  const records: Record<string, SearchParameterRecord[]> = {}
  const files = existsSync(folder) ? readdirSync(folder) : []
  for (const file of files.filter((name) => name.endsWith('.json')).sort()) {
    const resource = readJson(folder, file) as SearchParameterResource
    for (const base of valuesIn(resource.base)) {
      records[base] ??= []
      records[base].push(recordOf(resource, base, file))
    }
  }
  return records
}

function recordOf(resource: SearchParameterResource, base: string, file: string): SearchParameterRecord {
  const { code, type, url, expression, target, xpathUsage } = resource
  if (expression === undefined) throw new Error(`Search parameter ${file} has no expression`)
  if (code === undefined || type === undefined || url === undefined)
    throw new Error(`Search parameter ${file} lacks a code, a type or a url`)
  return {
    ...{ code, type, url, expression: expressionFor(base, expression) },
    ...(target === undefined ? {} : { target: valuesIn(target) }),
    ...(xpathUsage === 'phonetic' ? { phonetic: true } : {}),
  }
}

const readJson = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'))

/** Reason codes of errors that lenient handling turns into warnings. */
export const UNKNOWN_PARAMETER = 'search-parameter-unknown'
export const UNKNOWN_MODIFIER = 'search-modifier-unknown'
export const EMPTY_VALUE = 'search-value-empty'

/** Reason code of a parameter without a value, which a search ignores: https://hl7.org/fhir/R4/search.html#errors. */
export const EMPTY_PARAMETER = 'search-parameter-empty'

export const emptyParameter = (name: string): FhirError =>
  badRequest(`${name} has no value`, { reason: EMPTY_PARAMETER })

/** A 400 naming the unknown code and the valid ones, the most similar first. */
export function unknownParameter(code: string, types: readonly string[], valid: Iterable<string>): FhirError {
  const known = types.length === 1 ? recordsOf(types[0] ?? '').find((record) => record.code === code) : undefined
  const wrong =
    known === undefined
      ? `There is no search parameter '${code}' for ${typeNames(types)}`
      : `The search parameter '${code}' of ${typeNames(types)} (${known.type}) is not offered`
  const codes = [...valid].sort()
  const near = known === undefined ? closestName(code, codes) : undefined
  const right =
    near === undefined
      ? `valid are ${codes.join(', ')}`
      : `did you mean '${near}'? Valid too: ${codes.filter((one) => one !== near).join(', ')}`
  return badRequest(`${wrong}; ${right}`, { reason: UNKNOWN_PARAMETER })
}

/** `Patient`, `Patient and Practitioner`, `all 148 types`. */
export function typeNames(types: readonly string[]): string {
  return types.length > 5 ? `all ${types.length} types` : types.join(' and ')
}
