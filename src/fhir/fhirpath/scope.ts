/** The scope in which an expression is evaluated, and helpers for functions and operators. */
import { oncePer } from '../memoize.ts'
import { typeIn } from '../reference.ts'
import { isObject } from '../resource.ts'
import { UCUM } from '../ucum.ts'
import { type Collection, Node, rawValue, resourceTypeOf } from './node.ts'

/** Raw FHIR JSON for %resource, %rootResource and %context, which default to the focus. */
export interface Environment {
  readonly resource?: unknown
  readonly rootResource?: unknown
  readonly context?: unknown
  /** Values of further variables, by their names: the bodies %sent and %received of plans, the versions %previous and %current of topics. */
  readonly variables?: Readonly<Record<string, unknown>>
  /** The `_name` of a primitive focus. */
  readonly sibling?: unknown
  /** The type of a focus that is an element: `dateTime`, `HumanName`, `Patient.contact`. */
  readonly type?: string
  /** The time for now() and today(), which fail without one: milliseconds since 1970 UTC, by the clock of the clinic. */
  readonly now?: number
  /** Required for expressions written by users, which may be crafted to keep the server busy. */
  readonly limits?: EvaluationLimits
  /** Leaves equal items in a union of plain paths, for callers that remove duplicates from their own results. */
  readonly keepDuplicates?: boolean
  /** Shared by all expressions that are evaluated with the same focus. */
  readonly shared?: SharedResults
}

/** Results that do not depend on the expression. */
export interface SharedResults {
  /** Cache of descendants() of the focus. */
  descendants?: Collection
}

export interface EvaluationLimits {
  /** How many more items may be processed; negative when the evaluation was aborted. */
  left: number
  /**
   * Whether the pattern matches a part of the text, in bounded time.
   * @throws Error when the pattern or text is not supported
   */
  readonly matches: (text: string, pattern: string) => boolean
}

/** State of one evaluation. */
export interface Evaluation extends SharedResults {
  readonly root: Node
  readonly environment: Environment
  /** Results that are constant throughout the evaluation. */
  constants?: Map<Evaluate, Collection>
}

export interface EvaluationScope {
  /** $this, as a collection. */
  self: Collection
  /** $index */
  index: number
  readonly evaluation: Evaluation
}

export type Evaluate = (scope: EvaluationScope) => Collection

/** The expression needs a terminology service or a validator, so it cannot be evaluated. */
export class UnsupportedExpression extends Error {
  constructor(expression: string, reason: string) {
    super(`FHIRPath expression "${expression}" cannot be evaluated here: ${reason}`)
    this.name = 'UnsupportedExpression'
  }
}

/** The expression cannot be applied to the data, e.g. there are two values where it needs one. */
export class EvaluationError extends Error {
  constructor(expression: string, problem: string) {
    super(`FHIRPath expression "${expression}": ${problem}`)
    this.name = 'EvaluationError'
  }
}

export const EMPTY: Collection = Object.freeze([])
const TRUE: Collection = Object.freeze([true])
const FALSE: Collection = Object.freeze([false])

/** A boolean as a collection; undefined as the empty one. */
export const truth = (value: boolean | undefined): Collection => (value === undefined ? EMPTY : value ? TRUE : FALSE)

/** The single value, or undefined when there is none. @throws Error when there are several */
export function single(items: Collection, what: string): unknown {
  if (items.length > 1) throw new Error(`${what} needs a single value and got ${items.length}`)
  const item = items[0]
  return item === undefined ? undefined : (rawValue(item) ?? undefined)
}

/**
 * A collection as a boolean operand: a single value that is not a boolean counts as true.
 * @throws Error when there are several
 */
export function truthOf(items: Collection, what: string): boolean | undefined {
  const value = single(items, what)
  return typeof value === 'boolean' || value === undefined ? value : true
}

/** The single string, or undefined when there is none. @throws Error for several values or another type */
export function singleString(items: Collection, what: string): string | undefined {
  const value = single(items, what)
  if (value === undefined || typeof value === 'string') return value
  throw new Error(`${what} needs a string`)
}

/** The criterion of where(), all() and iif(): only true counts. */
export function isTrue(items: Collection): boolean {
  const item = items[0]
  return items.length === 1 && item !== undefined && rawValue(item) === true
}

const CONSTANTS: Readonly<Record<string, string>> = {
  ucum: UCUM,
  sct: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
}

/** Undefined when there is no such variable. */
export function compileVariable(name: string): Evaluate | undefined {
  const constant = CONSTANTS[name]
  if (constant !== undefined) return () => [constant]
  if (name === 'resource') return ({ evaluation }) => [nodeFor(evaluation, evaluation.environment.resource)]
  if (name === 'context') return ({ evaluation }) => [nodeFor(evaluation, evaluation.environment.context)]
  if (name === 'rootResource') return ({ evaluation }) => [nodeFor(evaluation, rootResource(evaluation.environment))]
  return FURTHER.has(name)
    ? ({ evaluation }) => {
        const value = evaluation.environment.variables?.[name]
        return value === undefined ? [] : [new Node(value)]
      }
    : undefined
}

/** Variables that only some environments have; elsewhere they are empty. */
const FURTHER: ReadonlySet<string> = new Set(['sent', 'received', 'previous', 'current'])

const nodeFor = (evaluation: Evaluation, value: unknown): Node =>
  value === undefined || value === evaluation.root.value ? evaluation.root : new Node(value)

const rootResource = (environment: Environment): unknown => environment.rootResource ?? environment.resource

/**
 * The result of `resolve()` for a Reference or a reference text without a store: the contained resource, or a resource
 * with nothing but the type that the reference names. Undefined when it names none.
 */
export function resolveReference(value: unknown, environment: Environment, root: unknown): unknown {
  const reference = isObject(value) ? value.reference : value
  if (typeof reference === 'string') {
    if (reference.startsWith('#')) return containedIn(rootResource(environment) ?? root, reference.slice(1))
    const type = typeIn(reference)
    if (type !== undefined) return { resourceType: type }
  }
  return isObject(value) && typeof value.type === 'string' ? { resourceType: value.type } : undefined
}

function containedIn(resource: unknown, id: string): unknown {
  if (!isObject(resource)) return undefined
  if (id === '') return resource
  return Array.isArray(resource.contained) ? indexOf(resource.contained).get(id) : undefined
}

/** By id, for each list of contained resources: there may be as many references as resources. */
const indexOf = oncePer((contained: readonly unknown[]): ReadonlyMap<unknown, unknown> => {
  const resources = contained.filter((one) => isObject(one) && resourceTypeOf(one) !== undefined)
  // The first resource with an id counts.
  return new Map(resources.toReversed().map((one) => [isObject(one) ? one.id : undefined, one]))
})
