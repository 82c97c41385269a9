/** Compiles the syntax tree of an expression to closures over plain FHIR JSON. */

import { isNumber } from '../json.ts'
import { COLLECTION_FUNCTIONS, type FunctionDefinition } from './collection-functions.ts'
import { compareItems, distinctItems, equal, equivalent, includes } from './compare.ts'
import { LIBRARY_FUNCTIONS } from './library.ts'
import { counted, gather, willCompose } from './limits.ts'
import {
  type Collection,
  compileStep,
  type Item,
  isOfType,
  type Node,
  ofNodes,
  resourceTypeOf,
  withoutNamespace,
} from './node.ts'
import { type Ast, type Literal, syntaxError } from './parser.ts'
import { Quantity } from './quantity.ts'
import {
  compileVariable,
  EMPTY,
  type Evaluate,
  type EvaluationScope,
  single,
  truth,
  truthOf,
  UnsupportedExpression,
} from './scope.ts'
import { toText, VALUE_FUNCTIONS } from './value-functions.ts'

/** Thrown by `compileAst` for features that only the fhirpath package has. */
export class NeedsLibrary extends Error {}

const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map(
  Object.entries({ ...COLLECTION_FUNCTIONS, ...VALUE_FUNCTIONS }),
)

/** They need a terminology server or a profile, which expressions here have no access to. */
const UNSUPPORTED = new Set([
  'memberOf',
  'subsumes',
  'subsumedBy',
  'conformsTo',
  'elementDefinition',
  'slice',
  'checkModifiers',
])

const THIS: Evaluate = ({ self }) => self

/**
 * @param expression the full text, for error messages
 * @throws SyntaxError for an unknown function or a wrong number of arguments
 * @throws UnsupportedExpression for terminology, profiles and unknown variables
 * @throws NeedsLibrary for features of the fhirpath package
 */
export function compileAst(tree: Ast, expression: string): Evaluate {
  const evaluate = compileNode(tree, expression)
  return isConstant(tree) ? oncePerEvaluation(evaluate) : evaluate
}

function compileNode(ast: Ast, expression: string): Evaluate {
  switch (ast.kind) {
    case 'literal':
      return constant(ast.value)
    case 'empty':
      return () => EMPTY
    case 'this':
      return THIS
    case 'index':
      return ({ index }) => [index]
    case 'total':
      throw new NeedsLibrary()
    case 'variable':
      return variable(ast.name, expression)
    case 'member':
      return member(compileBase(ast, expression), ast.name)
    case 'call':
      return call(ast, expression)
    case 'item':
      return itemAt(compileAst(ast.base, expression), compileAst(ast.index, expression))
    case 'type':
      return typeTest(ast.operator, compileAst(ast.base, expression), ast.type)
    case 'minus':
      return minus(compileAst(ast.operand, expression))
    case 'operator':
      return operation(ast, expression)
  }
}

/** The input of a member access or a function call. */
const compileBase = ({ base }: Ast & { kind: 'member' | 'call' }, expression: string): Evaluate =>
  base === undefined ? THIS : compileAst(base, expression)

function constant(value: Literal): Evaluate {
  const items: Collection = Object.freeze([value])
  return () => items
}

function variable(name: string, expression: string): Evaluate {
  const evaluate = compileVariable(name)
  if (evaluate === undefined) throw new UnsupportedExpression(expression, `the variable %${name} is not known`)
  return evaluate
}

function call(ast: Ast & { kind: 'call' }, expression: string): Evaluate {
  const input = compileBase(ast, expression)
  if (ast.name === 'is' || ast.name === 'as' || ast.name === 'ofType') {
    return typeTest(ast.name, input, typeArgument(ast, expression))
  }
  const { apply } = functionFor(ast, expression)
  const args = ast.args.map((arg) => compileAst(arg, expression))
  return counted(ast.name, input, (items, scope) => apply(items, args, scope))
}

function operation(ast: Ast & { kind: 'operator' }, expression: string): Evaluate {
  if (isMomentArithmetic(ast)) throw new NeedsLibrary()
  const name = ast.operator
  const [left, right] = [ast.left, ast.right].map((side) => counted(name, compileAst(side, expression)))
  return counted(name, compileOperator(name, left ?? THIS, right ?? THIS))
}

function functionFor({ name, args, at }: Ast & { kind: 'call' }, expression: string): FunctionDefinition {
  const definition = FUNCTIONS.get(name)
  if (definition === undefined) {
    if (UNSUPPORTED.has(name)) throw new UnsupportedExpression(expression, `${name}() is not supported`)
    if (LIBRARY_FUNCTIONS.has(name)) throw new NeedsLibrary()
    throw syntaxError(expression, at, `there is no function ${name}()`)
  }
  const [min, max] = definition.arity
  if (args.length >= min && args.length <= max) return definition
  const expected = min === max ? `${min}` : `${min} to ${max}`
  throw syntaxError(
    expression,
    at,
    `${name}() takes ${expected} ${max === 1 ? 'argument' : 'arguments'}, not ${args.length}`,
  )
}

/** `Quantity` and `FHIR.Quantity` are parsed as paths. */
function typeArgument({ name, args, at }: Ast & { kind: 'call' }, expression: string): string {
  const [type] = args
  if (args.length === 1 && type?.kind === 'member') {
    if (type.base === undefined) return type.name
    if (type.base.kind === 'member' && type.base.base === undefined) return `${type.base.name}.${type.name}`
  }
  throw syntaxError(expression, at, `${name}() takes the name of a type`)
}

/**
 * A path from a variable, such as %resource.snapshot.element.first().path, which all() would evaluate for each item.
 */
function isConstant(ast: Ast): boolean {
  if (ast.kind === 'variable') return true
  if (ast.kind === 'member') return ast.base !== undefined && isConstant(ast.base)
  return ast.kind === 'call' && ast.base !== undefined && isConstant(ast.base) && ast.args.every(isLiteral)
}

const isLiteral = ({ kind }: Ast): boolean => kind === 'literal'

function oncePerEvaluation(evaluate: Evaluate): Evaluate {
  return (scope) => {
    const { evaluation } = scope
    evaluation.constants ??= new Map()
    const cached = evaluation.constants.get(evaluate)
    if (cached !== undefined) return cached
    const result = evaluate(scope)
    evaluation.constants.set(evaluate, result)
    return result
  }
}

const isMomentArithmetic = ({ operator, right }: Ast & { kind: 'operator' }): boolean =>
  '+-*/'.includes(operator) && right.kind === 'literal' && right.value instanceof Quantity

/** A capitalized name is a type, which selects the item itself when it is of that type. */
function member(base: Evaluate, name: string): Evaluate {
  const step = ofNodes(/^[A-Z]/.test(name) ? typeStep(name) : compileStep(name))
  return counted(name, base, (items, scope) => {
    const found = gather(items, scope, step)
    return found.length === 0 ? EMPTY : found
  })
}

/** A root that is not a resource is assumed to be of the type, as nothing else is known about it. */
const typeStep = (name: string) => (item: Node, into: Item[]) => {
  const isTop = item.parent === undefined && resourceTypeOf(item.value) === undefined
  if (isTop || isOfType(item, name)) into.push(item)
}

function itemAt(base: Evaluate, index: Evaluate): Evaluate {
  return (scope) => {
    const at = single(index(scope), 'an index')
    const item = at === undefined ? undefined : base(scope)[Number(at)]
    return item === undefined ? EMPTY : [item]
  }
}

/** R4 uses `as` on collections where current FHIRPath requires `ofType`, so here they are the same. */
function typeTest(operator: 'is' | 'as' | 'ofType', base: Evaluate, specifier: string): Evaluate {
  const type = withoutNamespace(specifier)
  if (operator !== 'is') return (scope) => base(scope).filter((item) => isOfType(item, type))
  return (scope) => {
    const items = base(scope)
    single(items, 'is')
    const item = items[0]
    return item === undefined ? EMPTY : truth(isOfType(item, type))
  }
}

function minus(operand: Evaluate): Evaluate {
  return (scope) => {
    const value = single(operand(scope), '-')
    if (value === undefined) return EMPTY
    return [value instanceof Quantity ? new Quantity(-value.value, value.unit) : -Number(value)]
  }
}

type Operator = (left: Collection, right: Collection, scope: EvaluationScope) => Collection

/** Empty when an operand is empty. */
const strict =
  (operate: Operator): Operator =>
  (left, right, scope) =>
    left.length === 0 || right.length === 0 ? EMPTY : operate(left, right, scope)

const not = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value)

const ordered = (name: string, holds: (order: number) => boolean): Operator =>
  strict((left, right) => {
    if (single(left, name) === undefined || single(right, name) === undefined) return EMPTY
    const order = compareItems(left[0] ?? '', right[0] ?? '')
    return truth(order === undefined ? undefined : holds(order))
  })

const calculated = (name: string, calculate: (left: number, right: number) => number | undefined): Operator =>
  strict((left, right) => {
    const [one, other] = [single(left, name), single(right, name)]
    if (one === undefined || other === undefined) return EMPTY
    if (!isNumber(one) || !isNumber(other)) throw new Error(`${name} needs two numbers`)
    const result = calculate(Number(one), Number(other))
    return result === undefined ? EMPTY : [result]
  })

const sum = calculated('+', (left, right) => left + right)

const plus: Operator = strict((left, right, scope) => {
  const [one, other] = [single(left, '+'), single(right, '+')]
  return typeof one === 'string' && typeof other === 'string'
    ? concatenated(one, other, scope)
    : sum(left, right, scope)
})

const joined: Operator = (left, right, scope) =>
  concatenated(toText(single(left, '&')) ?? '', toText(single(right, '&')) ?? '', scope)

function concatenated(one: string, other: string, scope: EvaluationScope): Collection {
  willCompose(scope, one.length + other.length)
  return [one + other]
}

/** Whether a single item is in a collection. */
function isMember(item: Collection, of: Collection, name: string): Collection {
  if (item.length === 0) return EMPTY
  single(item, name)
  return truth(includes(of, item[0] ?? ''))
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '=': strict((left, right) => truth(equal(left, right))),
  '!=': strict((left, right) => truth(not(equal(left, right)))),
  '~': (left, right) => truth(equivalent(left, right)),
  '!~': (left, right) => truth(!equivalent(left, right)),
  '<': ordered('<', (order) => order < 0),
  '<=': ordered('<=', (order) => order <= 0),
  '>': ordered('>', (order) => order > 0),
  '>=': ordered('>=', (order) => order >= 0),
  '|': (left, right) => distinctItems([...left, ...right]),
  '+': plus,
  '-': calculated('-', (left, right) => left - right),
  '*': calculated('*', (left, right) => left * right),
  '/': calculated('/', (left, right) => (right === 0 ? undefined : left / right)),
  div: calculated('div', (left, right) => (right === 0 ? undefined : Math.trunc(left / right))),
  mod: calculated('mod', (left, right) => (right === 0 ? undefined : left % right)),
  '&': joined,
  in: (left, right) => isMember(left, right, 'in'),
  contains: (left, right) => isMember(right, left, 'contains'),
}

/** and, or, xor, implies: the right operand is not evaluated when the left one decides. */
const LOGIC: Readonly<Record<string, (left: Evaluate, right: Evaluate) => Evaluate>> = {
  and: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'and')
    if (one === false) return truth(false)
    const other = truthOf(right(scope), 'and')
    return truth(other === false ? false : one && other)
  },
  or: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'or')
    if (one === true) return truth(true)
    const other = truthOf(right(scope), 'or')
    return truth(other === true ? true : one === undefined ? undefined : other)
  },
  xor: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'xor')
    const other = truthOf(right(scope), 'xor')
    return truth(one === undefined || other === undefined ? undefined : one !== other)
  },
  implies: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'implies')
    if (one === false) return truth(true)
    const other = truthOf(right(scope), 'implies')
    return truth(other === true ? true : one === undefined ? undefined : other)
  },
}

/** @throws Error for an unknown operator */
function compileOperator(name: string, left: Evaluate, right: Evaluate): Evaluate {
  const logic = LOGIC[name]
  if (logic !== undefined) return logic(left, right)
  const operator = OPERATORS[name]
  if (operator === undefined) throw new Error(`operator ${name} has no definition`)
  return (scope) => operator(left(scope), right(scope), scope)
}
