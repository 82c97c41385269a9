/**
 * The short way for plain paths, which nearly all search parameters are: `Patient.name.family`,
 * `Patient.telecom.where(system='phone')`, `(Observation.value as Quantity)` and unions of them walk the JSON itself,
 * without places, collections or scopes. What else there is, compile.ts does.
 */
import { isObject } from '../resource.ts'
import { distinct } from './distinct.ts'
import { CHOICE_ELEMENTS, choiceProperty, isResourceTypeOf, suffixesOf, withoutNamespace } from './elements.ts'
import { type Item, isOfType, Node, resourceTypeOf } from './node.ts'
import type { Ast } from './parser.ts'
import { type Environment, resolveReference } from './scope.ts'

/** Appends what the path selects in the object `from`. */
type Walk = (from: unknown, into: Item[], walked: Walked) => void

interface Walked {
  readonly root: unknown
  readonly environment: Environment
}

export type EvaluatePath = (focus: unknown, environment: Environment) => readonly Item[]

/** undefined when the expression is more than a plain path. */
export function compilePath(tree: Ast): EvaluatePath | undefined {
  const branches = unionBranches(tree).map((branch) => walkFrom(branch, collect))
  if (!branches.every((branch) => branch !== undefined)) return undefined
  return (focus, environment) => {
    const found: Item[] = []
    const walked = { root: focus, environment }
    for (const branch of branches) branch(focus, found, walked)
    return branches.length > 1 ? distinct(found) : found
  }
}

const unionBranches = (tree: Ast): readonly Ast[] =>
  tree.kind === 'operator' && tree.operator === '|'
    ? [...unionBranches(tree.left), ...unionBranches(tree.right)]
    : [tree]

const collect: Walk = (value, into) => {
  into.push(value as Item)
}

/** The walk that leads along `path` and then goes on with `next`. */
function walkFrom(path: Ast, next: Walk): Walk | undefined {
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
function callStep({ name, base, args: [arg, ...others] }: Ast & { kind: 'call' }, next: Walk): Walk | undefined {
  if (base === undefined || arg === undefined || others.length > 0) return undefined
  if (name === 'where') return filteredStep(base, arg, next)
  const typed = (name === 'ofType' || name === 'as') && arg.kind === 'member' && arg.base === undefined
  return typed ? typedStep(base, arg.name, next) : undefined
}

function start(name: string, next: Walk): Walk {
  if (!/^[A-Z]/.test(name)) return property(name, next)
  return (from, into, walked) => {
    const type = resourceTypeOf(from)
    if (type === undefined ? isObject(from) : isResourceTypeOf(type, name)) next(from, into, walked)
  }
}

/** `id` and `extension` may belong to a primitive, and a type in the middle of a path needs the place it is asked of. */
function step(base: Ast, name: string, next: Walk): Walk | undefined {
  const isTop = base.kind === 'member' && base.base === undefined && /^[A-Z]/.test(base.name)
  if (/^[A-Z]/.test(name) || (!isTop && (name === 'id' || name === 'extension'))) return undefined
  return walkFrom(base, property(name, next))
}

function property(name: string, next: Walk): Walk {
  const choice = CHOICE_ELEMENTS.has(name)
  return (from, into, walked) => {
    if (!isObject(from)) return
    let value = from[name]
    if (value === undefined) {
      const written = choice ? choiceProperty(from, name) : undefined
      if (written === undefined) return
      value = from[written]
    }
    forEach(value, into, walked, next)
  }
}

function forEach(value: unknown, into: Item[], walked: Walked, next: Walk): void {
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) next(value, into, walked)
    return
  }
  for (const one of value) if (one !== null) next(one, into, walked)
}

/** `value.ofType(Quantity)` is the property `valueQuantity`, or that of a type derived from Quantity. */
function typedStep(base: Ast, specifier: string, next: Walk): Walk | undefined {
  if (base.kind !== 'member' || base.base === undefined || !CHOICE_ELEMENTS.has(base.name)) return undefined
  const type = withoutNamespace(specifier)
  const properties = suffixesOf(type).map((suffix) => `${base.name}${suffix}`)
  const { name } = base
  return walkFrom(base.base, (from, into, walked) => {
    if (!isObject(from)) return
    const plain = from[name]
    if (plain !== undefined && isOfType(new Node(plain, undefined, new Node(from), name), type)) {
      forEach(plain, into, walked, next)
    }
    for (const written of properties) forEach(from[written], into, walked, next)
  })
}

type Test = (value: unknown, walked: Walked) => boolean

function filteredStep(base: Ast, criterion: Ast, next: Walk): Walk | undefined {
  const test = equalityTest(criterion) ?? resolvedTest(criterion)
  if (test === undefined) return undefined
  return walkFrom(base, (value, into, walked) => {
    if (test(value, walked)) next(value, into, walked)
  })
}

/** `system = 'phone'` */
function equalityTest(criterion: Ast): Test | undefined {
  if (criterion.kind !== 'operator' || criterion.operator !== '=') return undefined
  const { left, right } = criterion
  if (left.kind !== 'member' || left.base !== undefined || right.kind !== 'literal') return undefined
  const { name } = left
  const wanted = right.value
  if (typeof wanted !== 'string' || CHOICE_ELEMENTS.has(name) || name === 'id' || name === 'extension') return undefined
  return (value) => isObject(value) && only(value[name]) === wanted
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
