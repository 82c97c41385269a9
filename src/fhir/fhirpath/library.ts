/**
 * The `fhirpath` package and its R4 model. It evaluates expressions that are not compiled here. Loading takes a tenth of a second and is seldom needed, so it is done on first use.
 */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { once } from '../memoize.ts'

type Environment = Readonly<Record<string, unknown>>
type Evaluator = (focus: unknown, environment: Environment) => unknown[]

interface Library {
  compile(expression: string, model: unknown, options: { readonly traceFn: () => void }): Evaluator
  parse(expression: string): unknown
}

const require = createRequire(join(import.meta.dirname, 'library.ts'))
const library = once(() => require('fhirpath') as Library)
const model = once(() => require('fhirpath/fhir-context/r4') as object)

/** Functions that only the package implements. */
export const LIBRARY_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'aggregate sum min max avg coalesce sort defineVariable type toLong toDate toDateTime toTime toQuantity ' +
    'convertsToLong convertsToDate convertsToDateTime convertsToTime convertsToQuantity encode decode escape unescape ' +
    'exp ln log power sqrt lowBoundary highBoundary timeOfDay yearOf monthOf dayOf hourOf minuteOf secondOf ' +
    'millisecondOf timezoneOffsetOf dateOf timeOf comparable getValue'
  ).split(' '),
)

/**
 * Compiles by the package. It evaluates a copy of the data, as it modifies objects and supports plain numbers only.
 * @throws Error of the package when it cannot parse the expression
 */
export function compileWithLibrary(expression: string): Evaluator {
  const evaluate = library().compile(expression, model(), { traceFn: () => {} })
  return (focus, environment) => evaluate(copy(focus), copy(environment) as Environment)
}

const copy = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
