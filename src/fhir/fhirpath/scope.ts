/** What an expression is evaluated in, and the small words every function and operator uses. */
import { isObject } from '../resource.ts'
import { type Collection, Node, rawValue, resourceTypeOf } from './node.ts'
import { UCUM } from './quantity.ts'

/** Raw FHIR JSON for %resource, %rootResource and %context; what is absent is taken from the focus. */
export interface Environment {
  readonly resource?: unknown
  readonly rootResource?: unknown
  readonly context?: unknown
  /** The `_name` beside a focus that is a primitive. */
  readonly sibling?: unknown
  /** Of a focus that is an element: `dateTime`, `HumanName`, `Patient.contact`. */
  readonly type?: string
  /** For expressions of users, which may be written to keep a server busy. */
  readonly limits?: Limits
}

export interface Limits {
  /** How many items may still be looked at; below zero, evaluation has been given up. */
  left: number
  /** Whether the pattern fits some part of the text, told in bounded time. @throws Error when it cannot be told */
  readonly matches: (text: string, pattern: string) => boolean
}

/** One evaluation. */
export interface Session {
  readonly root: Node
  readonly environment: Environment
  /** What now() and today() say throughout the evaluation. */
  readonly now: Date
  /** descendants() of the root, once they were asked for. */
  descendants?: Collection
  /** What does not change throughout the evaluation, by the closure that found it. */
  fixed?: Map<Evaluate, Collection>
}

export interface Scope {
  /** $this, as a collection. */
  self: Collection
  /** $index */
  index: number
  readonly session: Session
}

export type Evaluate = (scope: Scope) => Collection

/** The expression is beyond this server: it needs a terminology service or a validator. Skip it. */
export class UnsupportedExpression extends Error {
  constructor(expression: string, reason: string) {
    super(`FHIRPath expression "${expression}" cannot be evaluated here: ${reason}`)
    this.name = 'UnsupportedExpression'
  }
}

/** The expression meets data that it cannot be applied to, e.g. two values where it needs one. */
export class EvaluationError extends Error {
  constructor(expression: string, problem: string) {
    super(`FHIRPath expression "${expression}": ${problem}`)
    this.name = 'EvaluationError'
  }
}

export const EMPTY: Collection = Object.freeze([])
const TRUE: Collection = Object.freeze([true])
const FALSE: Collection = Object.freeze([false])

/** A truth value as a collection; undefined is the empty one. */
export const truth = (value: boolean | undefined): Collection => (value === undefined ? EMPTY : value ? TRUE : FALSE)

/** The only value, or undefined. @throws Error when there are several. */
export function single(items: Collection, what: string): unknown {
  if (items.length > 1) throw new Error(`${what} needs a single value and got ${items.length}`)
  const item = items[0]
  return item === undefined ? undefined : (rawValue(item) ?? undefined)
}

/** A collection as an operand of and, or, ...: any single value that is not a boolean counts as true. */
export function truthOf(items: Collection, what: string): boolean | undefined {
  const value = single(items, what)
  return typeof value === 'boolean' || value === undefined ? value : true
}

export function textOf(items: Collection, what: string): string | undefined {
  const value = single(items, what)
  if (value === undefined || typeof value === 'string') return value
  throw new Error(`${what} needs text`)
}

/** The criterion of where(), all() and iif(): nothing but true is true. */
export function isTrue(items: Collection): boolean {
  const item = items[0]
  return items.length === 1 && item !== undefined && rawValue(item) === true
}

const CONSTANTS: Readonly<Record<string, string>> = {
  ucum: UCUM,
  sct: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
}

/** undefined when there is no such variable. */
export function compileVariable(name: string): Evaluate | undefined {
  const constant = CONSTANTS[name]
  if (constant !== undefined) return () => [constant]
  if (name === 'resource') return ({ session }) => [nodeFor(session, session.environment.resource)]
  if (name === 'context') return ({ session }) => [nodeFor(session, session.environment.context)]
  return name === 'rootResource' ? ({ session }) => [nodeFor(session, rootResource(session.environment))] : undefined
}

const nodeFor = (session: Session, value: unknown): Node =>
  value === undefined || value === session.root.value ? session.root : new Node(value)

const rootResource = (environment: Environment): unknown => environment.rootResource ?? environment.resource

const LOCAL = /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/

/**
 * What `resolve()` can say about a Reference or a reference text without a store: the contained resource, or as much
 * of the resource as the reference tells (its type and id). undefined when the reference does not name a type.
 */
export function resolveReference(value: unknown, environment: Environment, root: unknown): unknown {
  const reference = isObject(value) ? value.reference : value
  if (typeof reference === 'string') {
    if (reference.startsWith('#')) return containedIn(rootResource(environment) ?? root, reference.slice(1))
    const match = LOCAL.exec(reference)
    if (match !== null) return { resourceType: match[1] }
  }
  return isObject(value) && typeof value.type === 'string' ? { resourceType: value.type } : undefined
}

function containedIn(resource: unknown, id: string): unknown {
  if (!isObject(resource)) return undefined
  if (id === '') return resource
  const contained: readonly unknown[] = Array.isArray(resource.contained) ? resource.contained : []
  return contained.find((one) => isObject(one) && one.id === id && resourceTypeOf(one) !== undefined)
}
