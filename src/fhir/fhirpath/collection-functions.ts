/** Functions on collections: https://hl7.org/fhirpath/N1/#functions, sections 5.1 to 5.4 and 5.8, and FHIR's own. */
import { isObject } from '../resource.ts'
import { closure, distinctItems, includes } from './compare.ts'
import { gather, willHold } from './limits.ts'
import { hasVisibleContent, isAllowedMarkup } from './narrative.ts'
import { appendChildren, type Collection, compileStep, type Item, Node, ofNodes, rawValue } from './node.ts'
import {
  EMPTY,
  type Evaluate,
  type EvaluationScope,
  isTrue,
  resolveReference,
  single,
  singleString,
  truth,
  truthOf,
} from './scope.ts'

/** `args` are unevaluated; functions over items evaluate them once per item, with the item as $this. */
export type Apply = (input: Collection, args: readonly Evaluate[], scope: EvaluationScope) => Collection

export interface FunctionDefinition {
  /** The minimum and maximum number of arguments. */
  readonly arity: readonly [number, number]
  readonly apply: Apply
}

const define = (min: number, max: number, apply: Apply): FunctionDefinition => ({ arity: [min, max], apply })

const nothing: Evaluate = () => EMPTY
const argument = (args: readonly Evaluate[], at: number): Evaluate => args[at] ?? nothing

/** Calls `visit` with the first argument evaluated for each item, until it returns true. */
function forEach(
  input: Collection,
  args: readonly Evaluate[],
  { evaluation }: EvaluationScope,
  visit: (result: Collection, item: Item) => boolean,
): void {
  const evaluate = argument(args, 0)
  const inner: EvaluationScope = { self: EMPTY, index: 0, evaluation }
  for (const item of input) {
    inner.self = [item]
    if (visit(evaluate(inner), item)) return
    inner.index++
  }
}

const where: Apply = (input, args, scope) => {
  const kept: Item[] = []
  forEach(input, args, scope, (result, item) => {
    if (isTrue(result)) kept.push(item)
    return false
  })
  return kept
}

const select: Apply = (input, args, scope) => {
  const selected: Item[] = []
  forEach(input, args, scope, (result) => {
    willHold(scope, selected.length + result.length)
    for (const item of result) selected.push(item)
    return false
  })
  return selected
}

const all: Apply = (input, args, scope) => {
  let holds = true
  forEach(input, args, scope, (result) => {
    holds = isTrue(result)
    return !holds
  })
  return truth(holds)
}

const repeat: Apply = (input, args, scope) => closure(input, (items) => select(items, args, scope))

const iif: Apply = (input, args, { evaluation, index }) => {
  const inner: EvaluationScope = { self: input, index, evaluation }
  return argument(args, isTrue(argument(args, 0)(inner)) ? 1 : 2)(inner)
}

const childrenStep = ofNodes(appendChildren)

const children: Apply = (input, _args, scope) => gather(input, scope, childrenStep)

const allDescendants: Apply = (input, args, scope) => {
  const found: Item[] = []
  for (let level = children(input, args, scope); level.length > 0; level = children(level, args, scope)) {
    willHold(scope, found.length + level.length)
    for (const item of level) found.push(item)
  }
  return found
}

/** The items of the input, and those of the argument. */
const combine: Apply = (input, args, scope) => {
  const other = argument(args, 0)(scope)
  willHold(scope, input.length + other.length)
  return [...input, ...other]
}

/** The descendants of the root are cached, as dom-3 evaluates them repeatedly. */
const descendants: Apply = (input, args, scope) => {
  const { evaluation } = scope
  if (input.length !== 1 || input[0] !== evaluation.root) return allDescendants(input, args, scope)
  const results = evaluation.environment.shared ?? evaluation
  results.descendants ??= allDescendants(input, args, scope)
  return results.descendants
}

const isSubset = (items: Collection, of: Collection): Collection => truth(items.every((item) => includes(of, item)))

const every = (expected: boolean): FunctionDefinition =>
  define(0, 0, (input) => truth(input.every((item) => booleanOf(item) === expected)))
const some = (expected: boolean): FunctionDefinition =>
  define(0, 0, (input) => truth(input.some((item) => booleanOf(item) === expected)))

function booleanOf(item: Item): boolean {
  const value = rawValue(item)
  if (typeof value !== 'boolean') throw new Error('allTrue(), anyTrue(), allFalse() and anyFalse() need booleans')
  return value
}

const slice = (from: number, to?: number): FunctionDefinition => define(0, 0, (input) => input.slice(from, to))

const countOf = (args: readonly Evaluate[], scope: EvaluationScope): number =>
  Number(single(argument(args, 0)(scope), 'take() or skip()') ?? 0)

const hasValue = (item: Item | undefined): boolean => {
  const value = item === undefined ? undefined : rawValue(item)
  return value !== undefined && value !== null && !isObject(value)
}

const extensionStep = ofNodes(compileStep('extension'))

const extension: Apply = (input, args, scope) => {
  const url = singleString(argument(args, 0)(scope), 'extension()')
  return gather(input, scope, extensionStep).filter((item) => {
    const value = rawValue(item)
    return isObject(value) && value.url === url
  })
}

const resolve: Apply = (input, _args, { evaluation }) => {
  const resolved = input.map((item) => resolveReference(rawValue(item), evaluation.environment, evaluation.root.value))
  return resolved.flatMap((resource) => (resource === undefined ? [] : [new Node(resource)]))
}

const htmlChecks: Apply = (input) => {
  const value = input.length === 1 ? single(input, 'htmlChecks()') : undefined
  return typeof value === 'string' ? truth(isAllowedMarkup(value) && hasVisibleContent(value)) : EMPTY
}

export const COLLECTION_FUNCTIONS: Readonly<Record<string, FunctionDefinition>> = {
  all: define(1, 1, all),
  allFalse: every(false),
  allTrue: every(true),
  anyFalse: some(false),
  anyTrue: some(true),
  children: define(0, 0, children),
  combine: define(1, 1, combine),
  count: define(0, 0, (input) => [input.length]),
  descendants: define(0, 0, descendants),
  distinct: define(0, 0, distinctItems),
  empty: define(0, 0, (input) => truth(input.length === 0)),
  exclude: define(1, 1, (input, args, scope) => {
    const excluded = argument(args, 0)(scope)
    return input.filter((item) => !includes(excluded, item))
  }),
  exists: define(0, 1, (input, args, scope) =>
    truth((args.length === 0 ? input : where(input, args, scope)).length > 0),
  ),
  extension: define(1, 1, extension),
  first: slice(0, 1),
  hasValue: define(0, 0, (input) => truth(input.length === 1 && hasValue(input[0]))),
  htmlChecks: define(0, 0, htmlChecks),
  iif: define(2, 3, iif),
  intersect: define(1, 1, (input, args, scope) => {
    const other = argument(args, 0)(scope)
    return distinctItems(input).filter((item) => includes(other, item))
  }),
  isDistinct: define(0, 0, (input) => truth(distinctItems(input).length === input.length)),
  last: slice(-1),
  not: define(0, 0, (input) => {
    const value = truthOf(input, 'not()')
    return truth(value === undefined ? undefined : !value)
  }),
  repeat: define(1, 1, repeat),
  resolve: define(0, 0, resolve),
  select: define(1, 1, select),
  single: define(0, 0, (input) => {
    single(input, 'single()')
    return input
  }),
  skip: define(1, 1, (input, args, scope) => input.slice(Math.max(0, countOf(args, scope)))),
  subsetOf: define(1, 1, (input, args, scope) => isSubset(input, argument(args, 0)(scope))),
  supersetOf: define(1, 1, (input, args, scope) => isSubset(argument(args, 0)(scope), input)),
  tail: slice(1),
  take: define(1, 1, (input, args, scope) => input.slice(0, Math.max(0, countOf(args, scope)))),
  trace: define(1, 2, (input) => input),
  union: define(1, 1, (input, args, scope) => distinctItems(combine(input, args, scope))),
  where: define(1, 1, where),
}
