/** Parses a query string into a search plan: https://hl7.org/fhir/R4/search.html. */
import { isCaseSensitiveInR4, isResourceType } from '../../fhir/definitions.ts'
import { badRequest, FhirError, type Issue } from '../../fhir/outcome.ts'
import {
  EMPTY_PARAMETER,
  EMPTY_VALUE,
  emptyParameter,
  type SearchParameter,
  searchParametersOf,
  UNKNOWN_MODIFIER,
  UNKNOWN_PARAMETER,
} from '../parameters.ts'
import type { Condition, Include, SearchPlan } from '../plan.ts'
import { spanOf } from '../types/date.ts'
import type { LookUp } from '../value.ts'
import { type Links, MAX_VALUES_OF_PARAMETER, splitUnescaped } from '../value.ts'
import { parseCriterion } from './criterion.ts'
import { type Filter, parseFilterSyntax } from './filter-syntax.ts'
import { mergeDates } from './merge-dates.ts'
import {
  isCacheBuster,
  isRepeatable,
  isResultParameter,
  isTransportParameter,
  type ResultParameters,
  readResultParameter,
  withContained,
} from './result-parameters.ts'
import { parameterFor, type SearchScope, unknownType } from './scope.ts'
import type { Subset } from './subset.ts'

export interface CriteriaOptions {
  readonly clinic: string
  /** Base address of this server, without a slash at the end. */
  readonly baseUrl: string
  readonly links?: Links | undefined
  /** See ValueContext. */
  readonly now: number
  readonly machineTime: number
  /** Resolves values that stand for others and have to be looked up first: see `resolveLookups`. */
  readonly lookUp: LookUp
  /** True for a case-sensitive code system that R4 does not declare as such; absent: there are none. */
  readonly isCaseSensitive?: (system: string) => boolean
  /** True when `_text` and `_content` are offered (the default). */
  readonly fullText?: boolean
  /** The parameters offered for a type; absent: all that are served. */
  readonly parametersOf?: (type: string) => ReadonlyMap<string, SearchParameter>
}

export interface SearchOptions extends CriteriaOptions {
  /** One type; at system level all searched types, which `_type` narrows. */
  readonly types: readonly string[]
  /** A condition on the matches, in addition to the query. */
  readonly condition?: Condition
  /** Unknown parameters and modifiers become warnings. */
  readonly lenient: boolean
  readonly defaultCount: number
  /** A higher `_count` is reduced to this. */
  readonly maxCount: number
  /** Most included resources. */
  readonly includeLimit: number
}

export interface ParsedSearch extends Subset {
  readonly plan: SearchPlan
  /** The parameters that were used, in order, for the links, those of the transport at the end; without the cursor. */
  readonly used: readonly (readonly [string, string])[]
  /** Warnings about parameters that lenient handling ignored, and values that can find nothing. */
  readonly warnings: readonly Issue[]
}

type Pairs = readonly (readonly [string, string])[]

const LENIENT: ReadonlySet<string> = new Set([UNKNOWN_PARAMETER, UNKNOWN_MODIFIER, EMPTY_VALUE])

/** @throws FhirError 400 naming the parameter, and what would be right */
export function parseSearch(query: Pairs | URLSearchParams, options: SearchOptions): ParsedSearch {
  const pairs = withoutRepeats([...query].filter(([name]) => !isTransportParameter(name) && !isCacheBuster(name)))
  checkLimits(pairs)
  checkOnce(pairs)
  let isLookedUp = false
  const lookUp: LookUp = (lookup) => {
    isLookedUp = true
    return options.lookUp(lookup)
  }
  const hints = new Set<string>()
  const hint = (diagnostics: string) => void hints.add(diagnostics)
  const scope = scopeOf(searchedTypes(pairs, options.types), { ...options, lookUp }, hint)
  const used: [string, string][] = []
  const warnings: Issue[] = []
  const where: Condition[] = options.condition === undefined ? [] : [options.condition]
  const result: ResultParameters[] = []
  for (const [name, value] of pairs) {
    const ignored = ignoring(options.lenient, () => {
      if (isResultParameter(name)) result.push(readResultParameter(name, value, scope))
      else if (name !== '_type') where.push(parseCriterion(name, value, scope))
      else if (value === '') throw emptyParameter(name)
    })
    if (ignored !== undefined) warnings.push(...ignored)
    else if (name !== '_cursor') used.push([name, usedValue(name, value, options)])
  }
  const merged: ResultParameters = Object.assign({}, ...result)
  const include = result.flatMap((one) => one.include ?? [])
  const plan = planOf(where, merged, include, scope, options)
  return {
    plan: isLookedUp || used.some(isAboutNow) ? { ...plan, asked: JSON.stringify(used.filter(isCondition)) } : plan,
    used: [...used, ...[...query].filter(([name]) => isTransportParameter(name))],
    warnings: [...warnings, ...[...hints].map(hintIssue)],
    summary: merged.summary,
    elements: merged.elements,
  }
}

/**
 * Parses the conditions alone, for conditional create, update and delete: https://hl7.org/fhir/R4/http.html#ccreate.
 * @param criteria `identifier=system|value`, with or without a leading `?`
 * @returns a plan for two matches, which distinguishes none, one and many
 * @throws FhirError 400, never lenient: without one of the conditions, a different resource would be changed
 */
export function parseCriteria(type: string, criteria: string, options: CriteriaOptions): SearchPlan {
  const pairs = [...new URLSearchParams(criteria.startsWith('?') ? criteria : `?${criteria}`)]
  if (pairs.length === 0)
    throw badRequest(`The condition on ${type} is empty; write search parameters, e.g. identifier=system|value`)
  checkLimits(pairs)
  const scope = scopeOf([type], options)
  const where = pairs.map(([name, value]) => {
    if (isResultParameter(name) || isTransportParameter(name)) {
      throw badRequest(`The condition '${criteria}' on ${type} has ${name}, which chooses no resource; leave it out`)
    }
    return parseCriterion(name, value, scope)
  })
  return {
    clinic: options.clinic,
    types: [type],
    where: mergedDates(where, scope),
    sort: [],
    count: 2,
    total: 'none',
    include: [],
    includeLimit: 0,
  }
}

const isCondition = ([name]: Pairs[number]): boolean => !isResultParameter(name) && name !== '_type'

/**
 * True where the condition may depend on the time of the request, like `ap`; other texts with these letters are treated
 * alike, which is harmless.
 */
const isAboutNow = (pair: Pairs[number]): boolean => isCondition(pair) && /\bap\b|\bap\d/.test(pair[1])

const scopeOf = (
  types: readonly string[],
  { baseUrl, links, now, machineTime, lookUp, isCaseSensitive, fullText = true, parametersOf }: CriteriaOptions,
  hint: SearchScope['hint'] = () => {},
): SearchScope => ({
  types,
  parametersOf: parametersOf ?? searchParametersOf,
  baseUrl,
  links,
  now,
  machineTime,
  lookUp,
  isCaseSensitive: (system = '') =>
    system !== '' && (isCaseSensitiveInR4(system) || isCaseSensitive?.(system) === true),
  fullText,
  hint,
})

/** Removes repeated result parameters: clients that turn a long address into a form send them twice, in both. */
function withoutRepeats(pairs: Pairs): Pairs {
  const isRepeat = ([name, value]: Pairs[number], at: number) =>
    isResultParameter(name) &&
    !isRepeatable(name) &&
    pairs.findIndex((other) => other[0] === name && other[1] === value) < at
  return pairs.filter((pair, at) => !isRepeat(pair, at))
}

function checkOnce(pairs: Pairs): void {
  const once = pairs
    .filter(([name, value]) => value !== '' && ((isResultParameter(name) && !isRepeatable(name)) || name === '_type'))
    .map(([name]) => name)
  const twice = once.find((name, at) => once.indexOf(name) !== at)
  if (twice !== undefined)
    throw badRequest(
      `${twice} is given more than once, with different values; put its values into one, with commas where it takes several`,
    )
}

/** The searched types: `_type=Patient,Practitioner` at system level. */
function searchedTypes(pairs: Pairs, offered: readonly string[]): readonly string[] {
  const [, value] = pairs.find(([name, types]) => name === '_type' && types !== '') ?? []
  if (value === undefined) return offered
  if (offered.length === 1)
    throw badRequest(`_type chooses types when all are searched; here it is ${offered.join()} alone`)
  const types = [...new Set(value.split(',').map((type) => type.trim()))]
  for (const type of types) {
    if (!isResourceType(type)) throw unknownType(`_type=${value}`, type)
    if (!offered.includes(type)) throw badRequest(`_type=${value}: ${type} cannot be searched here`)
  }
  return types
}

/**
 * Undefined where `read` succeeds; otherwise the warnings about ignoring the parameter: none for an empty one, as R4
 * says "Empty parameters are not an error - they are just ignored by the server".
 */
function ignoring(lenient: boolean, read: () => void): readonly Issue[] | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    if (error.code === EMPTY_PARAMETER) return []
    if (lenient && LENIENT.has(error.code)) return error.issues.map(warning)
    throw error
  }
}

const usedValue = (name: string, value: string, { maxCount }: SearchOptions): string =>
  name === '_count' ? String(Math.min(Number(value), maxCount)) : value

/** A warning as in https://hl7.org/fhir/R4/bundle-search-warning.html. */
const hintIssue = (diagnostics: string): Issue => ({ severity: 'warning', code: 'processing', diagnostics })

const warning = ({ code, diagnostics, reason }: Issue): Issue => ({
  severity: 'warning',
  code,
  diagnostics: `Ignored: ${diagnostics}`,
  ...(reason === undefined ? {} : { reason }),
})

function planOf(
  where: readonly Condition[],
  { count: asked, sort = [], total = 'none', summary, after, ...contained }: ResultParameters,
  include: readonly Include[],
  scope: SearchScope,
  { clinic, defaultCount, maxCount, includeLimit }: SearchOptions,
): SearchPlan {
  const count = summary === 'count' ? 0 : Math.min(asked ?? defaultCount, maxCount)
  return {
    clinic,
    ...withContained({ types: scope.types, where: mergedDates(where, scope), sort }, contained),
    sort,
    count,
    ...(after === undefined ? {} : { after }),
    total: count === 0 ? 'accurate' : total,
    include,
    includeLimit,
  }
}

function mergedDates(where: readonly Condition[], scope: SearchScope): readonly Condition[] {
  if (where.length < 2) return where
  return mergeDates(where, (param) => {
    const parameter = parameterFor(param, scope)
    return parameter.single === true ? spanOf(parameter) : undefined
  })
}

/** Most parameters in one query. */
const MAX_PARAMETERS = 60
/** Most `_include` and `_revinclude` in one query; each `*` counts once. */
const MAX_INCLUDES = 20
/** Most values of all parameters of a query, and tests of its filters, together. */
const MAX_VALUES = 500

/** @throws FhirError 400 naming the limit that is exceeded */
function checkLimits(pairs: Pairs): void {
  atMost(pairs.length, MAX_PARAMETERS, 'parameters')
  atMost(pairs.filter(([name]) => isRepeatable(name)).length, MAX_INCLUDES, 'includes')
  const values = pairs.map(([name, value]) => (isResultParameter(name) ? 0 : valuesIn(name, value)))
  atMost(sum(values), MAX_VALUES, 'values, tests of _filter counted')
}

function atMost(number: number, most: number, what: string): void {
  if (number > most) throw badRequest(`The query has ${number} ${what}; ${most} are the most`)
}

/**
 * The number of values. `_filter` stands alone or at the end of a chain. One parameter with too many values has its own
 * error.
 */
const valuesIn = (name: string, value: string): number =>
  /(^|[.:])_filter$/.test(name) && value !== ''
    ? testsIn(parseFilterSyntax(value))
    : Math.min(splitUnescaped(value, ',').length, MAX_VALUES_OF_PARAMETER)

function testsIn(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return sum(filter.of.map(testsIn))
    case 'not':
      return testsIn(filter.of)
    case 'test':
      return 1 + sum(filter.path.map(({ where }) => (where === undefined ? 0 : testsIn(where))))
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
