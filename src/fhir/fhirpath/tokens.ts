/** Tokens of a FHIRPath expression: https://hl7.org/fhirpath/N1/grammar.html. */

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
export class TokenReader {
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
