/**
 * Parses an expression to its syntax tree, by operator precedence: https://hl7.org/fhirpath/N1/#operator-precedence.
 */
import { FhirDecimal } from '../json.ts'
import { type Moment, parseMoment } from './moment.ts'
import { CALENDAR_UNITS, Quantity } from './quantity.ts'
import { type Token, TokenReader } from './tokens.ts'

export type Literal = string | number | boolean | FhirDecimal | Moment | Quantity

export type Ast =
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'empty' | 'this' | 'index' | 'total' }
  | { readonly kind: 'variable'; readonly name: string }
  /** Without `base` the step starts from $this. */
  | { readonly kind: 'member'; readonly base?: Ast; readonly name: string }
  | {
      readonly kind: 'call'
      readonly base?: Ast
      readonly name: string
      readonly args: readonly Ast[]
      readonly at: number
    }
  | { readonly kind: 'item'; readonly base: Ast; readonly index: Ast }
  | { readonly kind: 'type'; readonly operator: 'is' | 'as'; readonly base: Ast; readonly type: string }
  | { readonly kind: 'minus'; readonly operand: Ast }
  | { readonly kind: 'operator'; readonly operator: string; readonly left: Ast; readonly right: Ast }

/** Higher binds tighter. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map(
  ['implies', 'or xor', 'and', 'in contains', '= ~ != !~', '<= < > >=', '|', 'is as', '+ - &', '* / div mod'].flatMap(
    (operators, level) => operators.split(' ').map((operator) => [operator, level + 1] as const),
  ),
)
const SIGN_PRECEDENCE = 11

const SPECIAL: ReadonlyMap<string, 'this' | 'index' | 'total'> = new Map([
  ['$this', 'this'],
  ['$index', 'index'],
  ['$total', 'total'],
])

/** @throws SyntaxError that names the expression and the position */
export function parse(expression: string): Ast {
  const tokens = new TokenReader(expression)
  const tree = binary(tokens, 1)
  if (tokens.next.kind !== 'end') throw tokens.unexpected(tokens.next, 'an operator or its end')
  return tree
}

/** Operators that bind at least as tightly as `minimum`. */
function binary(tokens: TokenReader, minimum: number): Ast {
  let left = unary(tokens)
  for (;;) {
    const { kind, text } = tokens.next
    const precedence = kind === 'word' || kind === 'sign' ? PRECEDENCE.get(text) : undefined
    if (precedence === undefined || precedence < minimum) return left
    tokens.take()
    left = operation(tokens, text, left, precedence)
  }
}

function operation(tokens: TokenReader, operator: string, left: Ast, precedence: number): Ast {
  if (operator === 'is' || operator === 'as') return { kind: 'type', operator, base: left, type: typeSpecifier(tokens) }
  return { kind: 'operator', operator, left, right: binary(tokens, precedence + 1) }
}

function typeSpecifier(tokens: TokenReader): string {
  const name = tokens.takeName()
  return tokens.takeIf('.') ? `${name}.${tokens.takeName()}` : name
}

function unary(tokens: TokenReader): Ast {
  if (tokens.takeIf('+')) return binary(tokens, SIGN_PRECEDENCE)
  if (tokens.takeIf('-')) return { kind: 'minus', operand: binary(tokens, SIGN_PRECEDENCE) }
  return postfix(tokens, term(tokens))
}

function postfix(tokens: TokenReader, start: Ast): Ast {
  let base = start
  for (;;) {
    if (tokens.takeIf('.')) base = invocation(tokens, base)
    else if (tokens.takeIf('[')) {
      base = { kind: 'item', base, index: binary(tokens, 1) }
      tokens.expect(']')
    } else return base
  }
}

function invocation(tokens: TokenReader, base?: Ast): Ast {
  const { at, kind, text } = tokens.next
  const name = tokens.takeName()
  const special = kind === 'word' ? SPECIAL.get(text) : undefined
  if (special !== undefined) return { kind: special }
  const from = base === undefined ? {} : { base }
  return tokens.takeIf('(')
    ? { kind: 'call', ...from, name, args: argumentList(tokens), at }
    : { kind: 'member', ...from, name }
}

function argumentList(tokens: TokenReader): readonly Ast[] {
  if (tokens.takeIf(')')) return []
  const args = [binary(tokens, 1)]
  while (tokens.takeIf(',')) args.push(binary(tokens, 1))
  tokens.expect(')')
  return args
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

function term(tokens: TokenReader): Ast {
  const token = tokens.next
  const boolean = token.kind === 'word' ? BOOLEANS.get(token.text) : undefined
  if (boolean === undefined && (token.kind === 'word' || token.kind === 'quoted')) return invocation(tokens)
  tokens.take()
  if (boolean !== undefined) return { kind: 'literal', value: boolean }
  if (token.kind === 'string') return { kind: 'literal', value: token.text }
  if (token.kind === 'number') return { kind: 'literal', value: numberOrQuantity(tokens, token.text) }
  if (token.kind === 'moment') return { kind: 'literal', value: moment(tokens, token) }
  return bracketed(tokens, token)
}

function bracketed(tokens: TokenReader, token: Token): Ast {
  const sign = token.kind === 'sign' ? token.text : ''
  if (sign === '(') {
    const inner = binary(tokens, 1)
    tokens.expect(')')
    return inner
  }
  if (sign === '{') {
    tokens.expect('}')
    return { kind: 'empty' }
  }
  if (sign !== '%') throw tokens.unexpected(token, 'a value or a path')
  return { kind: 'variable', name: tokens.next.kind === 'string' ? tokens.take().text : tokens.takeName() }
}

function numberOrQuantity(tokens: TokenReader, text: string): Literal {
  const { kind, text: unit } = tokens.next
  const code = kind === 'string' ? unit : kind === 'word' ? CALENDAR_UNITS.get(unit) : undefined
  if (code === undefined) return String(Number(text)) === text ? Number(text) : new FhirDecimal(text)
  tokens.take()
  return new Quantity(Number(text), code)
}

function moment(tokens: TokenReader, token: Token): Moment {
  const parsed = parseMoment(token.text)
  if (parsed === undefined) throw tokens.unexpected(token, 'a date or time')
  return parsed
}
