/**
 * The search parameters that a clinic has added as SearchParameter resources, as it keeps them in one record:
 * https://hl7.org/fhir/R4/searchparameter.html. docs/adr/010-custom-search-parameters.md says why it is made like this.
 */
import { compileUserExpression } from '../../fhir/fhirpath.ts'
import { memoize } from '../../fhir/memoize.ts'
import { type AnyResource, isObject } from '../../fhir/resource.ts'
import { definedParameter, type SearchParameter } from '../parameters.ts'
import { expressionOf, typesOf } from './custom-definition.ts'
import type { Extractor } from './extract.ts'

export interface CustomParameter extends Pick<SearchParameter, 'code' | 'type' | 'url' | 'target' | 'parts'> {
  /** Of the SearchParameter resource. */
  readonly id: string
  /** As written: types, Resource or DomainResource. */
  readonly base: readonly string[]
  /** FHIRPath for all of them. */
  readonly expression: string
  /** The version of the record from which on what is written has its values. */
  readonly since: number
}

/** The value of the record. */
export interface CustomDeclaration {
  readonly parameters: readonly CustomParameter[]
  /** By resource type the version that changed last what its resources are indexed by. */
  readonly types: Readonly<Record<string, number>>
  /** The same for references alone. */
  readonly references: Readonly<Record<string, number>>
}

export const declarationIn = (value: unknown): CustomDeclaration => ({
  ...{ parameters: [], types: {}, references: {} },
  ...(isObject(value) ? value : {}),
})

type Definition = Omit<CustomParameter, 'since'>

/** With the parameter of this resource as it is from `version` on; absent where it takes no part any more. */
export function declared(
  before: CustomDeclaration,
  id: string,
  parameter: Definition | undefined,
  version: number,
): CustomDeclaration {
  const old = before.parameters.find((one) => one.id === id)
  const others = before.parameters.filter((one) => one.id !== id)
  if (old !== undefined && parameter !== undefined && isIndexedAlike(old, parameter)) {
    return { ...before, parameters: [...others, { ...parameter, since: old.since }] }
  }
  const changed = [old, parameter].filter((one) => one !== undefined)
  const since = (of: readonly Definition[]) =>
    Object.fromEntries(of.flatMap(({ base }) => typesOf(base)).map((type) => [type, version]))
  return {
    parameters: parameter === undefined ? others : [...others, { ...parameter, since: version }],
    types: { ...before.types, ...since(changed) },
    references: { ...before.references, ...since(changed.filter(({ type }) => type === 'reference')) },
  }
}

/** What is stored for both is the same. */
const isIndexedAlike = (one: Definition, other: Definition): boolean => contentOf(one) === contentOf(other)
const contentOf = ({ code, type, base, expression, parts }: Definition): string =>
  JSON.stringify([code, type, base, expression, parts])

/** How many items of a resource the expression of one parameter may look at. */
const WORK = 10_000
/** Of one parameter and resource; more are not found. */
const MOST_VALUES = 500
/** Characters of one value; a longer one is not found, and no search can ask for it. */
const LONGEST_VALUE = 10_000

const prepared = new WeakMap<object, CustomParameters>()

/** What a search, and the extraction of values, ask of a declaration. */
export class CustomParameters {
  readonly #declaration: CustomDeclaration
  readonly #byType = new Map<string, ReadonlyMap<string, SearchParameter>>()
  readonly #extractors = new Map<string, readonly Extractor[]>()

  constructor(declaration: CustomDeclaration) {
    this.#declaration = declaration
  }

  /** @param value of the record; the same value gives the same parameters */
  static of(value: unknown): CustomParameters | undefined {
    if (!isObject(value)) return undefined
    const known = prepared.get(value) ?? new CustomParameters(declarationIn(value))
    prepared.set(value, known)
    return known
  }

  /** The parameters that are served for a type, those of the clinic behind them. */
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

  /** The version by which the entries of a type must have been made for a search by `param`; undefined: by any. */
  madeByFor(type: string, param: string): number | undefined {
    if (param === '*') return this.#declaration.references[type]
    // The texts of a token and the identifiers of a reference have names of their own: `code:text`.
    const [code = ''] = param.split(':', 1)
    if (!this.#own(type).has(code)) return undefined
    return this.#parametersFor(type).find((one) => one.code === code)?.since
  }

  /** Every type whose resources are, or were, indexed by parameters of the clinic. */
  get types(): readonly string[] {
    return Object.keys(this.#declaration.types)
  }

  #own(type: string): ReadonlyMap<string, SearchParameter> {
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    // What the server defines itself stays what it is, also where a later version of it is the first to define it.
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

const rowOf = (
  { code, type, url, expression, target, parts }: CustomParameter,
  resourceType: string,
): SearchParameter => ({
  ...{ code, type, url, expression: expressionOf(resourceType, expression) ?? '{}' },
  ...(target === undefined ? {} : { target }),
  ...(parts === undefined ? {} : { parts }),
})

/** What cannot be evaluated on a resource has no value there: nobody's write fails because of a search parameter. */
function extractorOf(parameter: SearchParameter): Extractor {
  return {
    parameter,
    evaluate: (resource) => {
      try {
        return valuesIn(parameter, resource).filter(isShort)
      } catch {
        return []
      }
    },
  }
}

/** Of a composite the values of its parts in each repetition. */
function valuesIn({ expression, parts }: SearchParameter, resource: AnyResource): readonly unknown[] {
  const limits = { left: WORK, matches: refuseMatches }
  const values = compiled(expression).evaluate(resource, { limits }).slice(0, MOST_VALUES)
  if (parts === undefined) return values
  return values.map((value) => parts.map((part) => compiled(part.expression).evaluate(value, { resource, limits })))
}

/** No such expression is let in. */
function refuseMatches(): never {
  throw new Error('matches() is not evaluated in search parameters')
}

const EXPRESSIONS_KEPT = 1_000
const compiled = memoize(EXPRESSIONS_KEPT, compileUserExpression)

/** Counts characters no further than it must. */
function isShort(value: unknown): boolean {
  let left = LONGEST_VALUE
  const open = [value]
  while (open.length > 0 && left >= 0) {
    const next = open.pop()
    left -= typeof next === 'string' ? next.length : 1
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
  return left >= 0
}
