/** From the text of an expression to its tree, by operator precedence: https://hl7.org/fhirpath/N1/#operator-precedence. */
import { FhirDecimal } from '../json.ts'
import { Moment, parseMoment } from './moment.ts'
import { CALENDAR_UNITS, Quantity } from './quantity.ts'
import { syntaxError, type Token, tokenize } from './tokens.ts'

export type Literal = string | number | boolean | FhirDecimal | Moment | Quantity

export type Ast =
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'empty' | 'this' | 'index' | 'total' }
  | { readonly kind: 'variable'; readonly name: string }
  /** Without `base` the step starts from $this. */
  | { readonly kind: 'member'; readonly base?: Ast; readonly name: string }
  | { readonly kind: 'call'; readonly base?: Ast; readonly name: string; readonly args: readonly Ast[]; readonly at: number }
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
  const tokens = tokenize(expression)
  let next = 0

  const peek = (): Token => tokens[next] ?? { kind: 'end', text: '', at: expression.length }
  const take = (): Token => {
    const token = peek()
    next++
    return token
  }
  const fail = (token: Token, expected: string): SyntaxError =>
    syntaxError(expression, token.at, `expected ${expected}, found ${token.kind === 'end' ? 'its end' : `"${token.text}"`}`)
  const isSign = (text: string): boolean => peek().kind === 'sign' && peek().text === text
  const takeIf = (text: string): boolean => isSign(text) && take() !== undefined
  const expect = (text: string): void => {
    const token = take()
    if (token.kind !== 'sign' || token.text !== text) throw fail(token, `"${text}"`)
  }
  const identifier = (): string => {
    const token = take()
    if (token.kind !== 'word' && token.kind !== 'quoted') throw fail(token, 'a name')
    return token.text
  }

  function binary(minimum: number): Ast {
    let left = unary()
    for (;;) {
      const token = peek()
      const precedence = token.kind === 'word' || token.kind === 'sign' ? PRECEDENCE.get(token.text) : undefined
      if (precedence === undefined || precedence < minimum) return left
      take()
      left = operation(token.text, left, precedence)
    }
  }

  function operation(operator: string, left: Ast, precedence: number): Ast {
    if (operator === 'is' || operator === 'as') return { kind: 'type', operator, base: left, type: typeSpecifier() }
    return { kind: 'operator', operator, left, right: binary(precedence + 1) }
  }

  function typeSpecifier(): string {
    const name = identifier()
    return takeIf('.') ? `${name}.${identifier()}` : name
  }

  function unary(): Ast {
    if (takeIf('+')) return binary(SIGN_PRECEDENCE)
    if (takeIf('-')) return { kind: 'minus', operand: binary(SIGN_PRECEDENCE) }
    return postfix(term())
  }

  function postfix(start: Ast): Ast {
    let base = start
    for (;;) {
      if (takeIf('.')) base = invocation(base)
      else if (takeIf('[')) {
        base = { kind: 'item', base, index: binary(1) }
        expect(']')
      } else return base
    }
  }

  function invocation(base?: Ast): Ast {
    const { at, kind, text } = peek()
    const name = identifier()
    const special = kind === 'word' ? SPECIAL.get(text) : undefined
    if (special !== undefined) return { kind: special }
    const from = base === undefined ? {} : { base }
    return takeIf('(') ? { kind: 'call', ...from, name, args: argumentList(), at } : { kind: 'member', ...from, name }
  }

  function argumentList(): readonly Ast[] {
    if (takeIf(')')) return []
    const args = [binary(1)]
    while (takeIf(',')) args.push(binary(1))
    expect(')')
    return args
  }

  function term(): Ast {
    const token = peek()
    if (token.kind === 'word' && (token.text === 'true' || token.text === 'false')) {
      take()
      return { kind: 'literal', value: token.text === 'true' }
    }
    if (token.kind === 'word' || token.kind === 'quoted') return invocation()
    take()
    if (token.kind === 'string') return { kind: 'literal', value: token.text }
    if (token.kind === 'number') return { kind: 'literal', value: numberOrQuantity(token.text) }
    if (token.kind === 'moment') return { kind: 'literal', value: moment(token) }
    return bracketed(token)
  }

  function bracketed(token: Token): Ast {
    if (token.kind === 'sign' && token.text === '(') {
      const inner = binary(1)
      expect(')')
      return inner
    }
    if (token.kind === 'sign' && token.text === '{') {
      expect('}')
      return { kind: 'empty' }
    }
    if (token.kind === 'sign' && token.text === '%') {
      return { kind: 'variable', name: peek().kind === 'string' ? take().text : identifier() }
    }
    throw fail(token, 'a value or a path')
  }

  function numberOrQuantity(text: string): Literal {
    const unit = peek()
    const code = unit.kind === 'string' ? unit.text : unit.kind === 'word' ? CALENDAR_UNITS.get(unit.text) : undefined
    if (code === undefined) return String(Number(text)) === text ? Number(text) : new FhirDecimal(text)
    take()
    return new Quantity(Number(text), code)
  }

  function moment(token: Token): Moment {
    const parsed = parseMoment(token.text)
    if (parsed === undefined) throw fail(token, 'a date or time')
    return parsed
  }

  const tree = binary(1)
  if (peek().kind !== 'end') throw fail(peek(), 'an operator or its end')
  return tree
}
