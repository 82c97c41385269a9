/** From the tree of an expression to closures over plain FHIR JSON. */
import { COLLECTION_FUNCTIONS, type FunctionDefinition } from './collection-functions.ts'
import { withoutNamespace } from './elements.ts'
import { LIBRARY_FUNCTIONS } from './library.ts'
import { counted } from './limits.ts'
import { type Collection, compileStep, type Item, isOfType, Node, resourceTypeOf } from './node.ts'
import { compileOperator } from './operators.ts'
import type { Ast, Literal } from './parser.ts'
import { Quantity } from './quantity.ts'
import { compileVariable, EMPTY, type Evaluate, single, truth, UnsupportedExpression } from './scope.ts'
import { syntaxError } from './tokens.ts'
import { VALUE_FUNCTIONS } from './value-functions.ts'

/** Thrown by `compile` for what only the fhirpath package can do. */
export class NeedsLibrary extends Error {}

const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map(
  Object.entries({ ...COLLECTION_FUNCTIONS, ...VALUE_FUNCTIONS }),
)

/** They ask a terminology server or a profile, which an expression here cannot reach. */
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
 * @param expression the whole text, for messages
 * @throws SyntaxError for an unknown function or a wrong number of arguments
 * @throws UnsupportedExpression
 * @throws NeedsLibrary
 */
export function compile(tree: Ast, expression: string): Evaluate {
  const evaluate = compileNode(tree, expression)
  return isFixed(tree) ? oncePerSession(evaluate) : evaluate
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
      return itemAt(compile(ast.base, expression), compile(ast.index, expression))
    case 'type':
      return typeTest(ast.operator, compile(ast.base, expression), ast.type)
    case 'minus':
      return minus(compile(ast.operand, expression))
    case 'operator':
      return operation(ast, expression)
  }
}

/** What a member or function is asked of. */
const compileBase = ({ base }: Ast & { kind: 'member' | 'call' }, expression: string): Evaluate =>
  base === undefined ? THIS : compile(base, expression)

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
  const args = ast.args.map((arg) => compile(arg, expression))
  return counted(ast.name, input, (items, scope) => apply(items, args, scope))
}

function operation(ast: Ast & { kind: 'operator' }, expression: string): Evaluate {
  if (isMomentArithmetic(ast)) throw new NeedsLibrary()
  const name = ast.operator
  const [left, right] = [ast.left, ast.right].map((side) => counted(name, compile(side, expression)))
  return counted(name, compileOperator(name, left ?? THIS, right ?? THIS))
}

function functionFor({ name, args, at }: Ast & { kind: 'call' }, expression: string): FunctionDefinition {
  const definition = FUNCTIONS.get(name)
  if (definition === undefined) {
    if (UNSUPPORTED.has(name)) throw new UnsupportedExpression(expression, `${name}() is not supported`)
    if (LIBRARY_FUNCTIONS.has(name)) throw new NeedsLibrary()
    throw syntaxError(expression, at, `there is no function ${name}()`)
  }
  const [least, most] = definition.arity
  if (args.length >= least && args.length <= most) return definition
  const wanted = least === most ? `${least}` : `${least} to ${most}`
  throw syntaxError(
    expression,
    at,
    `${name}() takes ${wanted} ${most === 1 ? 'argument' : 'arguments'}, not ${args.length}`,
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

/** A path from a variable, such as %resource.snapshot.element.first().path, which all() asks for at each element. */
function isFixed(ast: Ast): boolean {
  if (ast.kind === 'variable') return true
  if (ast.kind === 'member') return ast.base !== undefined && isFixed(ast.base)
  return ast.kind === 'call' && ast.base !== undefined && isFixed(ast.base) && ast.args.every(isLiteral)
}

const isLiteral = ({ kind }: Ast): boolean => kind === 'literal'

function oncePerSession(evaluate: Evaluate): Evaluate {
  return (scope) => {
    const { session } = scope
    session.fixed ??= new Map()
    const known = session.fixed.get(evaluate)
    if (known !== undefined) return known
    const found = evaluate(scope)
    session.fixed.set(evaluate, found)
    return found
  }
}

const isMomentArithmetic = ({ operator, right }: Ast & { kind: 'operator' }): boolean =>
  '+-*/'.includes(operator) && right.kind === 'literal' && right.value instanceof Quantity

/** A capital letter starts the name of a type, which selects the item itself if it is one. */
function member(base: Evaluate, name: string): Evaluate {
  const step = /^[A-Z]/.test(name) ? typeStep(name) : compileStep(name)
  return counted(name, base, (items) => {
    const found: Item[] = []
    for (const item of items) if (item instanceof Node) step(item, found)
    return found.length === 0 ? EMPTY : found
  })
}

/** What is no resource and stands at the top is taken to be of the type: nothing else is known about it. */
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

/** R4 uses `as` on many values where today's FHIRPath wants `ofType`, so they are the same here. */
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
