/**
 * The parameters that shape the response instead of selecting resources: https://hl7.org/fhir/R4/search.html#return.
 */

import { resourceTypes } from '../../fhir/definitions.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { CONTAINED, containedType } from '../inner.ts'
import { emptyParameter, UNKNOWN_MODIFIER } from '../parameters.ts'
import type { Condition, Include, SearchPlan, SortKey } from '../plan.ts'
import { targetTypesOf } from '../types/reference.ts'
import { oneOf } from '../value.ts'
import { parseInclude } from './include.ts'
import { parameterFor, type SearchScope } from './scope.ts'
import { elementsFrom, type Summary, summaryFrom } from './subset.ts'

/** Most sort keys. Each is a column of the query and the cursor; MongoDB sorts by 32 fields at most. */
const MAX_SORT_KEYS = 10

const TOTALS = ['none', 'estimate', 'accurate'] as const

export interface ResultParameters {
  readonly count?: number
  readonly sort?: readonly SortKey[]
  readonly total?: SearchPlan['total']
  readonly summary?: Summary
  readonly elements?: readonly string[]
  readonly include?: readonly Include[]
  /** Cursor of the previous page. */
  readonly after?: string
  readonly contained?: (typeof CONTAINED_VALUES)[number]
  readonly containedType?: (typeof CONTAINED_TYPES)[number]
}

/** Values for whether contained resources are searched too, or alone: https://hl7.org/fhir/R4/search.html#contained. */
const CONTAINED_VALUES = ['false', 'true', 'both'] as const
/** Values for the resource returned: the container, or the contained resource. */
const CONTAINED_TYPES = ['container', 'contained'] as const

type Reader = (value: string, scope: SearchScope, name: string, modifier: string | undefined) => ResultParameters

const READERS: Readonly<Record<string, Reader>> = {
  _count: (value) => ({ count: countOf(value) }),
  _sort: (value, scope) => ({ sort: sortFrom(value, scope) }),
  _total: (value) => ({ total: oneOf('_total', value, TOTALS) }),
  _summary: (value) => ({ summary: summaryFrom(value) }),
  _elements: (value, { types }) => ({ elements: elementsFrom(value, types) }),
  _include: (value, scope, name, modifier) => ({ include: parseInclude(name, modifier, value, scope) }),
  _revinclude: (value, scope, name, modifier) => ({ include: parseInclude(name, modifier, value, scope) }),
  _cursor: (value) => ({ after: value }),
  _contained: (value) => ({ contained: oneOf('_contained', value, CONTAINED_VALUES) }),
  _containedType: (value) => ({ containedType: oneOf('_containedType', value, CONTAINED_TYPES) }),
}

/** Parameters that the HTTP layer reads and the search ignores. */
const TRANSPORT: ReadonlySet<string> = new Set(['_format', '_pretty'])

export const isTransportParameter = (name: string): boolean => TRANSPORT.has(name)

/**
 * Parameters that jQuery, Ext JS and others add to an address to bypass caches (docs/adr/017-unknown-parameters.md).
 */
const CACHE_BUSTERS: ReadonlySet<string> = new Set(['_', '_dc', '_ts'])

/** True for a parameter that only bypasses caches, and belongs to no interaction. */
export const isCacheBuster = (name: string): boolean => CACHE_BUSTERS.has(name)

/** True when the name, apart from its modifier, is that of a result parameter. */
export const isResultParameter = (name: string): boolean => Object.hasOwn(READERS, codeOf(name))

/** True for the parameters that may be given more than once. */
export const isRepeatable = (name: string): boolean => codeOf(name) === '_include' || codeOf(name) === '_revinclude'

const codeOf = (name: string): string => name.split(':', 1)[0] ?? ''

/** @throws FhirError 400 */
export function readResultParameter(name: string, value: string, scope: SearchScope): ResultParameters {
  const [code = '', modifier, ...rest] = name.split(':')
  if (rest.length > 0 || (modifier !== undefined && !isRepeatable(code))) {
    throw badRequest(`${name}: ${code} takes no such modifier`, { reason: UNKNOWN_MODIFIER })
  }
  if (value === '') throw emptyParameter(name)
  return READERS[code]?.(value, scope, name, modifier) ?? {}
}

function countOf(value: string): number {
  if (!/^\d+$/.test(value)) throw badRequest(`_count=${value}: write a whole number, 0 for the total only`)
  return Number(value)
}

function sortFrom(value: string, scope: SearchScope): readonly SortKey[] {
  const keys = value.split(',')
  if (keys.length > MAX_SORT_KEYS)
    throw badRequest(`_sort has ${keys.length} keys; ${MAX_SORT_KEYS} are the most, and the first few decide`)
  return keys.map((key) => sortKey(key.trim(), value, scope))
}

function sortKey(key: string, value: string, scope: SearchScope): SortKey {
  const descending = key.startsWith('-')
  const code = descending ? key.slice(1) : key
  if (code === '')
    throw badRequest(
      `_sort=${value}: write parameters with commas between, '-' before one that goes down: status,-_lastUpdated`,
    )
  const parameter = parameterFor(code, scope)
  const { type } = parameter
  if (code === '_id') return { by: 'id', descending }
  if (code === '_lastUpdated') return { by: 'lastUpdated', descending }
  if (type === 'composite' || type === 'special')
    throw badRequest(`_sort=${value}: '${code}' is a ${type} parameter, which has no order; sort by another one`)
  if (type === 'reference') {
    const targets = targetTypesOf(parameter)
    // An address outside this server has no type.
    return { by: type, param: code, descending, ...(targets && { targets: [...targets, ''] }) }
  }
  // By the number in base units: see quantity.ts.
  return { by: type === 'quantity' ? 'number' : type, param: code, descending }
}

type Found = Pick<SearchPlan, 'types' | 'where'>

/** @throws FhirError 400 for a sort order that containers do not have */
export function withContained(
  { types, where, sort }: Found & Pick<SearchPlan, 'sort'>,
  { contained = 'false', containedType: returned = 'container' }: Pick<ResultParameters, 'contained' | 'containedType'>,
): Found {
  if (contained === 'false') return { types, where }
  if (returned === 'contained') {
    const within = types.map(containedType)
    return { types: contained === 'both' ? [...types, ...within] : within, where }
  }
  const valued = sort.find((key) => 'param' in key)
  if (valued !== undefined) {
    throw badRequest(
      `_sort: '${valued.param}' is a value of what is contained, and _containedType=container returns containers, of any ` +
        'type; sort by _id or _lastUpdated, or write _containedType=contained',
    )
  }
  const containing: Condition = { kind: 'chain', param: CONTAINED, types, where: { kind: 'all', of: where } }
  if (contained === 'true') return { types: resourceTypes, where: [containing] }
  const matching: Condition = { kind: 'all', of: [{ kind: 'type', types }, ...where] }
  return { types: resourceTypes, where: [{ kind: 'any', of: [matching, containing] }] }
}
