/**
 * A fast compiler for plain paths, which nearly all search parameters are: `Patient.name.family`,
 * `Patient.telecom.where(system='phone')`, `(Observation.value as Quantity)` and unions of them. They visit the JSON
 * directly, without nodes, collections or scopes. Other expressions are compiled by compile.ts.
 */

import { choiceElements } from '../definitions.ts'
import { isObject } from '../resource.ts'
import { distinctItems } from './compare.ts'
import {
  choiceProperty,
  type Item,
  isOfType,
  isResourceTypeOf,
  Node,
  resourceTypeOf,
  suffixesOf,
  withoutNamespace,
} from './node.ts'
import type { Ast } from './parser.ts'
import { type Environment, resolveReference } from './scope.ts'

/** Appends what the rest of the path selects in `from`. */
type Visitor = (from: unknown, into: Item[], context: PathContext) => void

interface PathContext {
  readonly root: unknown
  readonly environment: Environment
}

export type EvaluatePath = (focus: unknown, environment: Environment) => readonly Item[]

/** Undefined when the expression is not a plain path. */
export function compilePath(tree: Ast): EvaluatePath | undefined {
  const branches = unionBranches(tree).map((branch) => visitFrom(branch, collect))
  if (!branches.every((branch) => branch !== undefined)) return undefined
  return (focus, environment) => {
    const found: Item[] = []
    const context = { root: focus, environment }
    for (const branch of branches) branch(focus, found, context)
    return branches.length > 1 && environment.keepDuplicates !== true ? distinctItems(found) : found
  }
}

const unionBranches = (tree: Ast): readonly Ast[] =>
  tree.kind === 'operator' && tree.operator === '|'
    ? [...unionBranches(tree.left), ...unionBranches(tree.right)]
    : [tree]

const collect: Visitor = (value, into) => {
  into.push(value as Item)
}

/** The visitor that follows `path` and continues with `next`; undefined when `path` is not a plain path. */
function visitFrom(path: Ast, next: Visitor): Visitor | undefined {
  switch (path.kind) {
    case 'member':
      return path.base === undefined ? start(path.name, next) : step(path.base, path.name, next)
    case 'type':
      return path.operator === 'as' ? typedStep(path.base, path.type, next) : undefined
    case 'call':
      return callStep(path, next)
    default:
      return undefined
  }
}

/** `where(…)`, `ofType(Quantity)`, `as(Quantity)` */
function callStep({ name, base, args: [arg, ...others] }: Ast & { kind: 'call' }, next: Visitor): Visitor | undefined {
  if (base === undefined || arg === undefined || others.length > 0) return undefined
  if (name === 'where') return filteredStep(base, arg, next)
  const typed = (name === 'ofType' || name === 'as') && arg.kind === 'member' && arg.base === undefined
  return typed ? typedStep(base, arg.name, next) : undefined
}

function start(name: string, next: Visitor): Visitor {
  if (!/^[A-Z]/.test(name)) return property(name, next)
  return (from, into, context) => {
    const type = resourceTypeOf(from)
    if (type === undefined ? isObject(from) : isResourceTypeOf(type, name)) next(from, into, context)
  }
}

/**
 * Not for `id` and `extension`, which may belong to a primitive, nor for a type within a path, which needs the node.
 */
function step(base: Ast, name: string, next: Visitor): Visitor | undefined {
  const isTop = base.kind === 'member' && base.base === undefined && /^[A-Z]/.test(base.name)
  if (/^[A-Z]/.test(name) || (!isTop && (name === 'id' || name === 'extension'))) return undefined
  return visitFrom(base, property(name, next))
}

function property(name: string, next: Visitor): Visitor {
  const choice = choiceElements.has(name)
  return (from, into, context) => {
    if (!isObject(from)) return
    let value = from[name]
    if (value === undefined) {
      const written = choice ? choiceProperty(from, name) : undefined
      if (written === undefined) return
      value = from[written]
    }
    forEach(value, into, context, next)
  }
}

function forEach(value: unknown, into: Item[], context: PathContext, next: Visitor): void {
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) next(value, into, context)
    return
  }
  for (const one of value) if (one !== null) next(one, into, context)
}

/** `value.ofType(Quantity)`: the property `valueQuantity`, or the one of a type derived from Quantity. */
function typedStep(base: Ast, specifier: string, next: Visitor): Visitor | undefined {
  if (base.kind !== 'member' || base.base === undefined || !choiceElements.has(base.name)) return undefined
  const type = withoutNamespace(specifier)
  const properties = suffixesOf(type).map((suffix) => `${base.name}${suffix}`)
  const { name } = base
  return visitFrom(base.base, (from, into, context) => {
    if (!isObject(from)) return
    const plain = from[name]
    if (plain !== undefined && isOfType(new Node(plain, undefined, new Node(from), name), type)) {
      forEach(plain, into, context, next)
    }
    for (const written of properties) forEach(from[written], into, context, next)
  })
}

type Test = (value: unknown, context: PathContext) => boolean

function filteredStep(base: Ast, criterion: Ast, next: Visitor): Visitor | undefined {
  const test = equalityTest(criterion) ?? resolvedTest(criterion)
  if (test === undefined) return undefined
  return visitFrom(base, (value, into, context) => {
    if (test(value, context)) next(value, into, context)
  })
}

/** `system = 'phone'` */
function equalityTest(criterion: Ast): Test | undefined {
  if (criterion.kind !== 'operator' || criterion.operator !== '=') return undefined
  const { left, right } = criterion
  if (left.kind !== 'member' || left.base !== undefined || right.kind !== 'literal') return undefined
  const { name } = left
  const expected = right.value
  if (typeof expected !== 'string' || choiceElements.has(name) || name === 'id' || name === 'extension')
    return undefined
  return (value) => isObject(value) && only(value[name]) === expected
}

const only = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** `resolve() is Patient` */
function resolvedTest(criterion: Ast): Test | undefined {
  if (criterion.kind !== 'type' || criterion.operator !== 'is' || criterion.base.kind !== 'call') return undefined
  if (criterion.base.name !== 'resolve' || criterion.base.base !== undefined) return undefined
  const type = withoutNamespace(criterion.type)
  return (value, { environment, root }) => {
    const resolved = resourceTypeOf(resolveReference(value, environment, root))
    return resolved !== undefined && isResourceTypeOf(resolved, type)
  }
}
