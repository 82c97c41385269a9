/**
 * The syntax of `_text` and `_content`: words that must all occur, `OR`, `NOT`, parentheses, and `bone*` for a prefix.
 * https://hl7.org/fhir/R4/search.html#content
 */
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { CONTENT, TEXT, wordsOf } from '../index/extract.ts'
import type { Condition } from '../plan.ts'
import { any, unescaped, type ValueContext } from '../value.ts'

const MAX_TERMS = 30
const MAX_DEPTH = 10

/** Makes the condition on one folded word. */
type OnWord = (word: string, match: 'equal' | 'prefix') => Condition

interface Lexeme {
  readonly text: string
  /** Characters before it. */
  readonly at: number
}

/**
 * Parses a query such as `(bone OR liver) metastases`.
 * @throws FhirError 400 naming the position
 */
export function parseFullText(code: typeof TEXT | typeof CONTENT, text: string, { name }: ValueContext): Condition {
  const params = code === TEXT ? [TEXT] : [TEXT, CONTENT]
  const onWord: OnWord = (value, match) => any(params.map((param) => ({ kind: 'words', param, match, value })))
  return new Words(unescaped(text), name, onWord).parse()
}

class Words {
  readonly #name: string
  readonly #text: string
  readonly #onWord: OnWord
  readonly #lexemes: readonly Lexeme[]
  #next = 0

  constructor(text: string, name: string, onWord: OnWord) {
    this.#name = name
    this.#text = text
    this.#onWord = onWord
    this.#lexemes = [...text.matchAll(/[()]|"[^"]*"?|[^\s()"]+/g)].map(({ 0: lexeme, index }) => ({
      text: lexeme,
      at: index,
    }))
    if (this.#lexemes.length > MAX_TERMS) {
      throw badRequest(`${name} has ${this.#lexemes.length} words and operators; ${MAX_TERMS} are the most`)
    }
  }

  parse(): Condition {
    const condition = this.#either(0)
    const rest = this.#lexemes[this.#next]
    if (rest !== undefined) throw this.#wrong(rest, 'has no opening parenthesis before it')
    return condition
  }

  #either(depth: number): Condition {
    if (depth > MAX_DEPTH) throw badRequest(`${this.#name}: parentheses are more than ${MAX_DEPTH} deep`)
    const parts = [this.#all(depth)]
    while (this.#take('or')) parts.push(this.#all(depth))
    return any(parts)
  }

  #all(depth: number): Condition {
    const parts = [this.#one(depth)]
    for (let next = this.#peek(); next !== undefined && next !== 'or' && next !== ')'; next = this.#peek()) {
      this.#take('and')
      parts.push(this.#one(depth))
    }
    const [only] = parts
    return only !== undefined && parts.length === 1 ? only : { kind: 'all', of: parts }
  }

  #one(depth: number): Condition {
    if (this.#take('not')) return { kind: 'not', of: this.#one(depth) }
    if (this.#take('(')) {
      const inner = this.#either(depth + 1)
      if (!this.#take(')')) throw this.#wrong(undefined, "misses a ')'")
      return inner
    }
    const lexeme = this.#lexemes[this.#next]
    const operator = this.#peek()
    if (lexeme === undefined || operator === 'or' || operator === 'and' || operator === ')') {
      throw this.#wrong(lexeme, 'stands where a word is expected')
    }
    this.#next += 1
    return this.#word(lexeme)
  }

  /** Parses one word; `x-ray` and "x ray" are two words that must both occur. */
  #word(lexeme: Lexeme): Condition {
    if (lexeme.text.startsWith('"') && !/^".*"$/s.test(lexeme.text)) throw this.#wrong(lexeme, 'has no closing quote')
    const words = wordsOf(lexeme.text).filter((word) => word !== '')
    if (words.length === 0) throw this.#wrong(lexeme, 'holds no letter or digit to compare')
    const isOpen = lexeme.text.endsWith('*')
    const of = words.map((word, at) => this.#onWord(word, isOpen && at === words.length - 1 ? 'prefix' : 'equal'))
    const [only] = of
    return only !== undefined && of.length === 1 ? only : { kind: 'all', of }
  }

  #peek(): string | undefined {
    return this.#lexemes[this.#next]?.text.toLowerCase()
  }

  #take(lexeme: string): boolean {
    if (this.#peek() !== lexeme) return false
    this.#next += 1
    return true
  }

  #wrong(lexeme: Lexeme | undefined, what: string): FhirError {
    const where = lexeme === undefined ? 'the end' : `'${lexeme.text}' at character ${lexeme.at + 1}`
    return badRequest(
      `${this.#name}=${this.#text}: ${where} ${what}; write words, OR and NOT between them, parentheses, and * after the beginning of a word`,
    )
  }
}
