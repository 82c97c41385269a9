/**
 * Parses the regular expressions of `regex` filters to a syntax tree.
 *
 * Supported: literals, . [ ] [^ ] ( ) (?: ) | * + ? {n} {n,} {n,m} ^ $ \d \w \s \D \W \S \t \n \r and escaped
 * characters.
 */

export type Matcher = (character: string) => boolean

export type PatternNode =
  | { readonly kind: 'character'; readonly accepts: Matcher }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }

const MAX_GROUP_DEPTH = 20

/** @throws SyntaxError naming the part of the pattern that is not supported */
export const parsePattern = (source: string): PatternNode => new Parser(source).parse()

class Parser {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#characters = [...source]
  }

  parse(): PatternNode {
    const node = this.#choice()
    if (this.#at < this.#characters.length) throw new SyntaxError(`has a ) too many at character ${this.#at + 1}`)
    return node
  }

  #peek(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(expected: string): boolean {
    if (this.#peek() !== expected) return false
    this.#at++
    return true
  }

  #choice(): PatternNode {
    const nodes = [this.#sequence()]
    while (this.#take('|')) nodes.push(this.#sequence())
    return { kind: 'choice', nodes }
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek())
      nodes.push(this.#repeated(this.#single()))
    return { kind: 'sequence', nodes }
  }

  #repeated(node: PatternNode): PatternNode {
    const bounds = this.#bounds()
    if (bounds === undefined) return node
    // Lazy repetitions match the same texts.
    this.#take('?')
    if (this.#bounds() !== undefined) throw new SyntaxError(`repeats a repetition at character ${this.#at}`)
    return { kind: 'repeat', node, ...bounds }
  }

  #bounds(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (this.#take('?')) return { min: 0, max: 1 }
    if (this.#peek() !== '{') return undefined
    const end = this.#characters.indexOf('}', this.#at)
    const written = /^\{(\d{1,4})(,(\d{1,4})?)?$/.exec(this.#characters.slice(this.#at, end).join(''))
    if (end < 0 || written === null) throw new SyntaxError(`has a { that is no repetition at character ${this.#at + 1}`)
    this.#at = end + 1
    const min = Number(written[1])
    const max = written[2] === undefined ? min : Number(written[3] ?? Number.POSITIVE_INFINITY)
    if (max < min) throw new SyntaxError(`repeats at least ${min} and at most ${max} times`)
    return { min, max }
  }

  #single(): PatternNode {
    const at = this.#at++
    const character = this.#characters[at] ?? ''
    if (character === '(') return this.#group()
    if (character === '[') return { kind: 'character', accepts: this.#characterClass() }
    if (character === '^') return { kind: 'start' }
    if (character === '$') return { kind: 'end' }
    if (character === '.') return { kind: 'character', accepts: (other) => other !== '\n' && other !== '\r' }
    if (character === '\\') return { kind: 'character', accepts: this.#escaped() }
    if ('*+?{'.includes(character))
      throw new SyntaxError(`has a ${character} with nothing to repeat at character ${at + 1}`)
    return { kind: 'character', accepts: same(character) }
  }

  #group(): PatternNode {
    if (++this.#depth > MAX_GROUP_DEPTH) throw new SyntaxError(`has groups within groups, more than ${MAX_GROUP_DEPTH}`)
    if (this.#take('?') && !this.#take(':'))
      throw new SyntaxError(`has a (? group at character ${this.#at}; only (?: is known`)
    const node = this.#choice()
    if (!this.#take(')')) throw new SyntaxError('has a ( without its )')
    this.#depth--
    return node
  }

  #escaped(): Matcher {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw new SyntaxError('ends in a \\')
    const known = ESCAPES.get(character)
    if (known !== undefined) return known
    if (/[a-zA-Z0-9]/.test(character)) throw new SyntaxError(`has \\${character}, which is not known`)
    return same(character)
  }

  #characterClass(): Matcher {
    const negated = this.#take('^')
    const parts: Matcher[] = []
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#peek() === undefined) throw new SyntaxError('has a [ without its ]')
      parts.push(this.#classPart())
    }
    this.#at++
    return (character) => parts.some((accepts) => accepts(character)) !== negated
  }

  #classPart(): Matcher {
    const from = this.#characters[this.#at++] ?? ''
    if (from === '\\') return this.#escaped()
    const to = this.#characters[this.#at + 1]
    if (this.#peek() !== '-' || to === undefined || to === ']') return same(from)
    this.#at += 2
    if (to === '\\' || to < from) throw new SyntaxError(`has the range ${from}-${to}, which has no characters`)
    return (character) => character >= from && character <= to
  }
}

const same =
  (expected: string): Matcher =>
  (character) =>
    character === expected
const like =
  (pattern: RegExp): Matcher =>
  (character) =>
    pattern.test(character)

const ESCAPES: ReadonlyMap<string, Matcher> = new Map([
  ['d', like(/\d/)],
  ['D', like(/\D/)],
  ['w', like(/\w/)],
  ['W', like(/\W/)],
  ['s', like(/\s/)],
  ['S', like(/\S/)],
  ['t', same('\t')],
  ['n', same('\n')],
  ['r', same('\r')],
])
