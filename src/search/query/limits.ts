/** Limits of one query and of one chain in it: the work of an engine grows with all its parameters and values together. */
import { badRequest } from '../../fhir/outcome.ts'
import { MAX_VALUES_OF_PARAMETER, splitUnescaped, type ValueContext } from '../value.ts'
import { type Filter, parseFilterSyntax } from './filter-syntax.ts'
import { isRepeatable, isResultParameter } from './result-parameters.ts'

/** Most parameters in one query. */
const MAX_PARAMETERS = 60
/** Most `_include` and `_revinclude` in one query; each `*` counts once. */
const MAX_INCLUDES = 20
/** Most values of all parameters of a query, and tests of its filters, together. */
const MAX_VALUES = 500

type Pairs = readonly (readonly [string, string])[]

/** @throws FhirError 400 naming the limit that is exceeded */
export function checkLimits(pairs: Pairs): void {
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

/** Most links of a chain, including `_has`. */
const MAX_LINKS = 10
/** Most types examined for one parameter, over all links of a chain that names none. */
const MAX_TYPES = 2000

/** The remaining limits of a chain. */
export interface Allowance {
  readonly links: number
  /** Shared by all branches. */
  readonly types: { left: number }
}

export const newAllowance = (): Allowance => ({ links: MAX_LINKS, types: { left: MAX_TYPES } })

/**
 * The allowance after one more link to one more type.
 * @throws FhirError 400 when it is used up
 */
export function spent({ links, types }: Allowance, { name }: ValueContext): Allowance {
  if (links === 0) throw badRequest(`${name} follows more than ${MAX_LINKS} references`)
  if (types.left-- === 0) {
    throw badRequest(`${name} leads to too many types; name them, as in subject:Patient.name`, { reason: TOO_WIDE })
  }
  return { links: links - 1, types }
}

/** Reason of the error for a chain that leads to too many types. */
export const TOO_WIDE = 'search-chain-too-wide'
