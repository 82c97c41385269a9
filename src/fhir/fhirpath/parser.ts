/**
 * Parses an expression to its syntax tree, by operator precedence: https://hl7.org/fhirpath/N1/grammar.html,
 * https://hl7.org/fhirpath/N1/#operator-precedence.
 */
import { FhirDecimal } from '../json.ts'
import { type Moment, parseMoment } from './moment.ts'
import { CALENDAR_UNITS, Quantity } from './quantity.ts'

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

export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'moment' | 'sign' | 'end'
  /** Without quotes, escapes resolved. */
  readonly text: string
  /** Position of the first character, from 0. */
  readonly at: number
}

const PATTERN = new RegExp(
  [
    String.raw`(?<blank>\s+|//[^\n]*|/\*[^]*?\*/)`,
    String.raw`(?<moment>@T\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?|@\d{4}(?:-\d\d){0,2}(?:T(?:\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)`,
    String.raw`(?<number>\d+(?:\.\d+)?)`,
    String.raw`(?<string>'(?:\\.|[^'\\])*')`,
    String.raw`(?<quoted>\u0060(?:\\.|[^\u0060\\])*\u0060)`,
    String.raw`(?<word>[A-Za-z_]\w*|\$(?:this|index|total)\b)`,
    String.raw`(?<sign><=|>=|!=|!~|[-+*/|&=~<>().,\[\]{}%])`,
  ].join('|'),
  'suy',
)

const CONTROL: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t' }

const unquote = (quoted: string): string =>
  quoted
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_all, hex: string | undefined, character: string) =>
      hex === undefined ? (CONTROL[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
    )

/** A SyntaxError that names the expression and the character. */
export function syntaxError(expression: string, at: number, problem: string): SyntaxError {
  return new SyntaxError(`FHIRPath expression "${expression}", character ${at + 1}: ${problem}`)
}

/** The tokens, of which the last is always `end`. @throws SyntaxError at the first character that starts no token */
function tokenize(expression: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < expression.length) {
    PATTERN.lastIndex = at
    const match = PATTERN.exec(expression)
    if (match === null) throw syntaxError(expression, at, `unexpected "${expression.charAt(at)}"`)
    const token = toToken(match, at)
    if (token !== undefined) tokens.push(token)
    at += match[0].length
  }
  tokens.push({ kind: 'end', text: 'end of the expression', at })
  return tokens
}

function toToken(match: RegExpExecArray, at: number): Token | undefined {
  const { string, quoted, word, number, moment, sign } = match.groups ?? {}
  if (word !== undefined) return { kind: 'word', text: word, at }
  if (sign !== undefined) return { kind: 'sign', text: sign, at }
  if (string !== undefined) return { kind: 'string', text: unquote(string), at }
  if (number !== undefined) return { kind: 'number', text: number, at }
  if (moment !== undefined) return { kind: 'moment', text: moment.slice(1), at }
  return quoted === undefined ? undefined : { kind: 'quoted', text: unquote(quoted), at }
}

/** Reads the tokens of an expression in order. */
class TokenReader {
  readonly #expression: string
  readonly #tokens: readonly Token[]
  #position = 0

  /** @throws SyntaxError for a character that starts no token */
  constructor(expression: string) {
    this.#expression = expression
    this.#tokens = tokenize(expression)
  }

  get next(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '', at: this.#expression.length }
  }

  take(): Token {
    const token = this.next
    this.#position++
    return token
  }

  takeIf(sign: string): boolean {
    const matches = this.next.kind === 'sign' && this.next.text === sign
    if (matches) this.#position++
    return matches
  }

  /** @throws SyntaxError unless the next token is `sign` */
  expect(sign: string): void {
    if (!this.takeIf(sign)) throw this.unexpected(this.next, `"${sign}"`)
  }

  /** @throws SyntaxError unless the next token is a name */
  takeName(): string {
    const token = this.take()
    if (token.kind !== 'word' && token.kind !== 'quoted') throw this.unexpected(token, 'a name')
    return token.text
  }

  unexpected(token: Token, expected: string): SyntaxError {
    const found = token.kind === 'end' ? 'its end' : `"${token.text}"`
    return syntaxError(this.#expression, token.at, `expected ${expected}, found ${found}`)
  }
}
