/** The grammar of `_filter`: https://hl7.org/fhir/R4/search_filter.html. Its names and values are interpreted later. */
import { badRequest, type FhirError } from '../../fhir/outcome.ts'

const OPERATORS = [
  ...(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'lt', 'ge', 'le', 'ap', 'sa', 'eb'] as const),
  ...(['pr', 'po', 'ss', 'sb', 'in', 'ni', 're'] as const),
] as const

export type Operator = (typeof OPERATORS)[number]

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | Test

/** `subject[active eq true].name co "pet"` */
export interface Test {
  readonly kind: 'test'
  readonly path: Path
  readonly operator: Operator
  readonly value: string
  /** True when the value was written between quotation marks. */
  readonly isText: boolean
  /** Position: the number of characters before it. */
  readonly at: number
}

/** Names from left to right; all but the last refer to another resource, which may have to pass a filter. */
export type Path = readonly PathStep[]
interface PathStep {
  readonly name: string
  readonly where?: Filter
}

const MAX_CHARACTERS = 8192
const MAX_TESTS = 100
/** Deepest nesting of parentheses and brackets. */
const MAX_DEPTH = 20

const SPACE = /\s*/y
const WORD = /[A-Za-z]+(?=[\s(]|$)/y
/** Colons are for `_has:Observation:patient:code` and `subject:Patient.name`. */
const NAME = /[A-Za-z_][A-Za-z0-9_:-]*/y
const STRING = /"(?:[^"\\]|\\.)*"/sy
const TOKEN = /[^\s)\]"][^\s)\]]*/y

/** @throws FhirError 400 naming the position, and what is expected there */
export function parseFilterSyntax(text: string): Filter {
  if (text.length > MAX_CHARACTERS)
    throw badRequest(`_filter has ${text.length} characters; ${MAX_CHARACTERS} are the most`)
  return new Syntax(text).parse()
}

class Syntax {
  readonly #text: string
  #at = 0
  #tests = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Filter {
    const filter = this.#filter(0)
    if (this.#at < this.#text.length) throw this.#expected("'and', 'or' or the end")
    return filter
  }

  /** Parses from left to right: `and` does not take precedence over `or`. */
  #filter(depth: number): Filter {
    if (depth > MAX_DEPTH) throw this.#wrong(`parentheses and brackets are more than ${MAX_DEPTH} deep`)
    let filter = this.#operand(depth)
    for (let kind = this.#conjunction(); kind !== undefined; kind = this.#conjunction()) {
      const next = this.#operand(depth)
      filter = filter.kind === kind ? { kind, of: [...filter.of, next] } : { kind, of: [filter, next] }
    }
    return filter
  }

  #conjunction(): 'and' | 'or' | undefined {
    this.#take(SPACE)
    const start = this.#at
    const word = this.#take(WORD)
    if (word === 'and' || word === 'or') return word
    this.#at = start
    return undefined
  }

  #operand(depth: number): Filter {
    this.#take(SPACE)
    const isNegated = /not\s*\(/y
    isNegated.lastIndex = this.#at
    const isNot = isNegated.test(this.#text)
    if (isNot) this.#at += 'not'.length
    this.#take(SPACE)
    if (this.#text[this.#at] !== '(') return this.#test(depth)
    this.#at += 1
    const of = this.#filter(depth + 1)
    this.#close(')')
    return isNot ? { kind: 'not', of } : of
  }

  #test(depth: number): Test {
    this.#tests += 1
    if (this.#tests > MAX_TESTS) throw this.#wrong(`there are more than ${MAX_TESTS} tests`)
    const at = this.#at
    const path = this.#path(depth)
    this.#take(SPACE)
    const operator = this.#operator()
    this.#take(SPACE)
    const string = this.#take(STRING)
    const value = string === undefined ? this.#take(TOKEN) : this.#decoded(string)
    if (value === undefined) throw this.#expected('a value: a word, or a text in double quotes')
    return { kind: 'test', path, operator, value, isText: string !== undefined, at }
  }

  #path(depth: number): Path {
    const path: PathStep[] = []
    for (;;) {
      const name = this.#take(NAME)
      if (name === undefined) throw this.#expected("a search parameter, '(' or 'not ('")
      const where = this.#where(depth)
      path.push(where === undefined ? { name } : { name, where })
      if (this.#text[this.#at] !== '.') {
        if (where !== undefined) throw this.#expected("'.' and the parameter that is meant")
        return path
      }
      this.#at += 1
    }
  }

  #where(depth: number): Filter | undefined {
    if (this.#text[this.#at] !== '[') return undefined
    this.#at += 1
    const where = this.#filter(depth + 1)
    this.#close(']')
    return where
  }

  #operator(): Operator {
    const start = this.#at
    const word = this.#take(NAME)
    const operator = OPERATORS.find((one) => one === word)
    if (operator !== undefined) return operator
    this.#at = start
    throw this.#expected(`an operator: ${OPERATORS.join(', ')}`)
  }

  #decoded(string: string): string {
    try {
      return String(JSON.parse(string))
    } catch {
      this.#at -= string.length
      throw this.#expected('a text with the escapes of JSON')
    }
  }

  #close(bracket: ')' | ']'): void {
    this.#take(SPACE)
    if (this.#text[this.#at] !== bracket) throw this.#expected(`'and', 'or' or '${bracket}'`)
    this.#at += 1
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #expected(what: string): FhirError {
    const rest = this.#text.slice(this.#at, this.#at + 20)
    return this.#wrong(`${rest === '' ? 'it ends' : `there is '${rest}'`} where it needs ${what}`)
  }

  #wrong(what: string): FhirError {
    return badRequest(`_filter: at character ${this.#at + 1}, ${what}`)
  }
}
