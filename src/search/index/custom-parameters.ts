/**
 * The search parameters that a clinic has added as SearchParameter resources, as stored in one record:
 * https://hl7.org/fhir/R4/searchparameter.html. docs/adr/010-custom-search-parameters.md gives the reasons for this
 * design.
 */
import { compileUserExpression } from '../../fhir/fhirpath/fhirpath.ts'
import type { EvaluationLimits } from '../../fhir/fhirpath/scope.ts'
import { memoize } from '../../fhir/memoize.ts'
import { type AnyResource, isObject } from '../../fhir/resource.ts'
import { rethrowBudgetError } from '../../isolation/budget.ts'
import { definedParameter, type SearchParameter } from '../parameters.ts'
import {
  type CustomDeclaration,
  type CustomParameter,
  declarationIn,
  expressionOf,
  typesOf,
} from './custom-declaration.ts'
import type { Extractor, SharedWork } from './extract.ts'

/** Items of a resource that the expression of one parameter may visit; see SharedWork for all parameters together. */
const WORK = 10_000
/** Most values of one parameter in one resource; further ones are not indexed. */
const MAX_VALUES = 500
/** Most characters of one value; a longer one is not indexed, and no search can name it. */
const MAX_VALUE_LENGTH = 10_000

const prepared = new WeakMap<object, CustomParameters>()

/** A declaration, prepared for parsing searches and extracting values. */
export class CustomParameters {
  readonly #declaration: CustomDeclaration
  readonly #byType = new Map<string, ReadonlyMap<string, SearchParameter>>()
  readonly #extractors = new Map<string, readonly Extractor[]>()

  constructor(declaration: CustomDeclaration) {
    this.#declaration = declaration
  }

  /** @param value of the record; the same object returns the same parameters */
  static of(value: unknown): CustomParameters | undefined {
    if (!isObject(value)) return undefined
    const known = prepared.get(value) ?? new CustomParameters(declarationIn(value))
    prepared.set(value, known)
    return known
  }

  /** The parameters served for a type, together with the clinic's own. */
  parametersOf(served: (type: string) => ReadonlyMap<string, SearchParameter>) {
    return (type: string): ReadonlyMap<string, SearchParameter> => {
      const own = this.#own(type)
      return own.size === 0 ? served(type) : new Map([...own, ...served(type)])
    }
  }

  extractorsOf(type: string): readonly Extractor[] {
    const known = this.#extractors.get(type)
    if (known !== undefined) return known
    const extractors = [...this.#own(type).values()].map(extractorOf)
    this.#extractors.set(type, extractors)
    return extractors
  }

  /** The index version that the entries of a type must have for a search by `param`; undefined: any. */
  indexVersionFor(type: string, param: string): number | undefined {
    if (param === '*') return this.#declaration.references[type]
    // Texts of a token and identifiers of a reference are indexed under derived names: `code:text`.
    const [code = ''] = param.split(':', 1)
    if (!this.#own(type).has(code)) return undefined
    return this.#parametersFor(type).find((one) => one.code === code)?.since
  }

  /** The types whose resources are or were indexed by parameters of the clinic. */
  get types(): readonly string[] {
    return Object.keys(this.#declaration.types)
  }

  #own(type: string): ReadonlyMap<string, SearchParameter> {
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    // The server's own parameters take precedence, even those that a later version of the server has added.
    const rows = this.#parametersFor(type).filter(({ code }) => definedParameter(type, code) === undefined)
    const own = new Map(rows.map((one) => [one.code, rowOf(one, type)]))
    this.#byType.set(type, own)
    return own
  }

  #parametersFor(type: string): readonly CustomParameter[] {
    if (this.#declaration.types[type] === undefined) return []
    return this.#declaration.parameters.filter(({ base }) => typesOf(base).includes(type))
  }
}

/** The parameter as it is served for one of its types. */
export const rowOf = (
  { code, type, url, expression, target, parts }: Omit<CustomParameter, 'since'>,
  resourceType: string,
): SearchParameter => ({
  ...{ code, type, url, expression: expressionOf(resourceType, expression) ?? '{}' },
  ...(target === undefined ? {} : { target }),
  ...(parts === undefined ? {} : { parts }),
})

/** An expression that fails on a resource yields no value: no write fails because of a search parameter. */
function extractorOf(parameter: SearchParameter): Extractor {
  return {
    parameter,
    evaluate: (resource, shared) => {
      const work = Math.min(WORK, shared.customLeft)
      const limits = { left: work, matches: refuseMatches }
      try {
        return valuesIn(parameter, resource, limits, shared).filter(isShort)
      } catch (error) {
        rethrowBudgetError(error)
        return []
      } finally {
        shared.customLeft -= work - limits.left
      }
    },
  }
}

/** The values of a parameter; for a composite, the values of its parts in each repetition. */
function valuesIn(
  { expression, parts }: SearchParameter,
  resource: AnyResource,
  limits: EvaluationLimits,
  { results }: SharedWork,
): readonly unknown[] {
  const values = compiled(expression).evaluate(resource, { limits, shared: results }).slice(0, MAX_VALUES)
  if (parts === undefined) return values
  return values.map((value) => parts.map((part) => compiled(part.expression).evaluate(value, { resource, limits })))
}

/** Replaces matches(); an expression with it is refused when the parameter is stored. */
function refuseMatches(): never {
  throw new Error('matches() is not evaluated in search parameters')
}

const EXPRESSIONS_KEPT = 1_000
const compiled = memoize(EXPRESSIONS_KEPT, compileUserExpression)

/** True for a value within the limit; the count stops there. */
function isShort(value: unknown): boolean {
  let left = MAX_VALUE_LENGTH
  const open = [value]
  while (open.length > 0 && left >= 0) {
    const next = open.pop()
    left -= typeof next === 'string' ? next.length : 1
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
  return left >= 0
}
