/**
 * Regular expressions of `regex` filters (https://hl7.org/fhir/R4/valueset-filter-operator.html), compared with a whole
 * value. They come from whoever uploads a value set, so they run on all paths at once (Thompson) in the time of
 * pattern times text, and not by JavaScript's search, which some patterns keep busy for years.
 *
 * Known: literals, . [ ] [^ ] ( ) (?: ) | * + ? {n} {n,} {n,m} ^ $ \d \w \s \D \W \S \t \n \r and escaped characters.
 */
import { FhirError } from '../fhir/outcome.ts'

type Matcher = (character: string) => boolean

type Step =
  | { readonly kind: 'character'; readonly accepts: Matcher }
  | { readonly kind: 'fork'; readonly to: readonly number[] }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }

type Node =
  | { readonly kind: 'character'; readonly accepts: Matcher }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number }

export type Pattern = (text: string) => boolean

const LONGEST_PATTERN = 500
const DEEPEST_GROUPS = 20
/** Repetitions are written out: (a{100}){100} would have 10,000. */
const MOST_STEPS = 2000
const LONGEST_TEXT = 2000
/** Of one pattern, over all the values it is compared with; about a second. */
const MOST_WORK = 30_000_000

/**
 * @throws SyntaxError saying what of the pattern is not understood, or that it is too large. The pattern itself throws
 *   a FhirError 422 (too-costly) when it has been compared with more than one operation may take.
 */
export function patternOf(source: string): Pattern {
  if (source.length > LONGEST_PATTERN)
    throw new SyntaxError(`has ${source.length} characters; ${LONGEST_PATTERN} are the most`)
  const steps: Step[] = []
  write(new Parser(source).parse(), steps)
  let work = 0
  return (text) => {
    work += text.length * steps.length
    if (work > MOST_WORK) throw tooCostly(source)
    return text.length <= LONGEST_TEXT && matches(steps, [...text])
  }
}

const tooCostly = (source: string): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The pattern ${source.slice(0, 50)} takes too long to compare with so many values; use a shorter one`,
  })

class Parser {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#characters = [...source]
  }

  parse(): Node {
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

  #choice(): Node {
    const nodes = [this.#sequence()]
    while (this.#take('|')) nodes.push(this.#sequence())
    return { kind: 'choice', nodes }
  }

  #sequence(): Node {
    const nodes: Node[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek())
      nodes.push(this.#repeated(this.#single()))
    return { kind: 'sequence', nodes }
  }

  #repeated(node: Node): Node {
    const bounds = this.#bounds()
    if (bounds === undefined) return node
    // A lazy repetition matches the same texts.
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

  #single(): Node {
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

  #group(): Node {
    if (++this.#depth > DEEPEST_GROUPS) throw new SyntaxError(`has groups within groups, more than ${DEEPEST_GROUPS}`)
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

/** Every node continues behind its last step; a fork goes to places in the list. */
function write(node: Node, steps: Step[]): void {
  if (steps.length > MOST_STEPS)
    throw new SyntaxError(`is too large: its repetitions make more than ${MOST_STEPS} steps`)
  switch (node.kind) {
    case 'character':
    case 'start':
    case 'end':
      steps.push(node)
      return
    case 'sequence':
      for (const part of node.nodes) write(part, steps)
      return
    case 'choice':
      writeChoice(node.nodes, steps)
      return
    case 'repeat':
      writeRepeat(node.node, node.min, node.max, steps)
  }
}

function writeChoice(nodes: readonly Node[], steps: Step[]): void {
  const [only] = nodes
  if (only !== undefined && nodes.length === 1) {
    write(only, steps)
    return
  }
  const fork = steps.length
  steps.push({ kind: 'fork', to: [] })
  const starts: number[] = []
  const ends: number[] = []
  for (const node of nodes) {
    starts.push(steps.length)
    write(node, steps)
    ends.push(steps.length)
    steps.push({ kind: 'fork', to: [] })
  }
  steps[fork] = { kind: 'fork', to: starts }
  for (const end of ends) steps[end] = { kind: 'fork', to: [steps.length] }
}

function writeRepeat(node: Node, min: number, max: number, steps: Step[]): void {
  for (let times = 0, before = -1; times < min && before < steps.length; times++) {
    // What matches nothing but the empty text need not be repeated.
    before = steps.length
    write(node, steps)
  }
  if (max === Number.POSITIVE_INFINITY) {
    const fork = steps.length
    steps.push({ kind: 'fork', to: [] })
    write(node, steps)
    steps.push({ kind: 'fork', to: [fork] })
    steps[fork] = { kind: 'fork', to: [fork + 1, steps.length] }
    return
  }
  const forks: number[] = []
  for (let times = min; times < max; times++) {
    forks.push(steps.length)
    steps.push({ kind: 'fork', to: [] })
    write(node, steps)
  }
  for (const fork of forks) steps[fork] = { kind: 'fork', to: [fork + 1, steps.length] }
}

function matches(steps: readonly Step[], text: readonly string[]): boolean {
  let places = reach([0], steps, 0, text.length)
  for (const [index, character] of text.entries()) {
    const next: number[] = []
    for (const place of places) {
      const step = steps[place]
      if (step?.kind === 'character' && step.accepts(character)) next.push(place + 1)
    }
    if (next.length === 0) return false
    places = reach(next, steps, index + 1, text.length)
  }
  return places.has(steps.length)
}

/** Where one may stand before the next character. */
function reach(from: readonly number[], steps: readonly Step[], at: number, length: number): ReadonlySet<number> {
  const reached = new Set<number>()
  const waiting = [...from]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (reached.has(place)) continue
    reached.add(place)
    const step = steps[place]
    if (step?.kind === 'fork') waiting.push(...step.to)
    if ((step?.kind === 'start' && at === 0) || (step?.kind === 'end' && at === length)) waiting.push(place + 1)
  }
  return reached
}
