/**
 * The `fhirpath` package and its R4 model. It evaluates expressions that are not compiled here, converts units and
 * knows the type of every element. Loading takes a tenth of a second and is seldom needed, so it is done on first use.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface Model {
  /** `Patient.birthDate` -> `date`; without backbone elements. */
  readonly path2TypeWithoutElements: Readonly<Record<string, string>>
  readonly path2Type: Readonly<Record<string, string>>
  /** `Questionnaire.item.item` -> `Questionnaire.item`. */
  readonly pathsDefinedElsewhere: Readonly<Record<string, string>>
}

interface Ucum {
  convertUnitTo(from: string, value: number, to: string): { readonly status: string; readonly toVal: number | null }
  convertToBaseUnits(
    unit: string,
    value: number,
  ): { readonly status: string; readonly magnitude?: number; readonly unitToExp?: Readonly<Record<string, number>> }
}

type Environment = Readonly<Record<string, unknown>>
type Evaluator = (focus: unknown, environment: Environment) => unknown[]

interface Library {
  compile(expression: string, model: Model, options: { readonly traceFn: () => void }): Evaluator
  parse(expression: string): unknown
  readonly ucumUtils: Ucum
}

const require = createRequire(join(import.meta.dirname, 'library.ts'))
const once = <T>(load: () => T): (() => T) => {
  let loaded: T | undefined
  return () => (loaded ??= load())
}

const library = once(() => require('fhirpath') as Library)
export const model = once(() => require('fhirpath/fhir-context/r4') as Model)

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

/** Excludes texts that cannot be a unit: the package prints those that it fails on, and they may be a patient's. */
const isUnit = (text: string): boolean => /^[\x21-\x7e]{1,64}$/.test(text)

/** Converts `value` from one UCUM unit to another; undefined when they are not commensurable. */
export function convertUnit(from: string, value: number, to: string): number | undefined {
  if (!isUnit(from) || !isUnit(to)) return undefined
  const result = library().ucumUtils.convertUnitTo(from, value, to)
  return result.status === 'succeeded' ? (result.toVal ?? undefined) : undefined
}

/** Converts `value` to the base units of its dimension; undefined when there is no such unit. */
export function baseUnits(unit: string, value: number): { readonly value: number; readonly unit: string } | undefined {
  if (!isUnit(unit)) return undefined
  const { magnitude, unitToExp } = library().ucumUtils.convertToBaseUnits(unit, value)
  return magnitude === undefined ? undefined : { value: magnitude, unit: JSON.stringify(unitToExp) }
}
