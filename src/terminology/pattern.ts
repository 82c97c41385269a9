/**
 * Regular expressions of `regex` filters (https://hl7.org/fhir/R4/valueset-filter-operator.html), matched against whole
 * values. As users upload them, they are run by Thompson's algorithm, whose time is bounded by pattern length times
 * text length, and not by JavaScript's engine, whose time may be exponential.
 *
 * Supported: literals, . [ ] [^ ] ( ) (?: ) | * + ? {n} {n,} {n,m} ^ $ \d \w \s \D \W \S \t \n \r and escaped
 * characters.
 */
import { FhirError } from '../fhir/outcome.ts'
import { Meter } from '../isolation/budget.ts'

type Step =
  | { readonly kind: 'character'; readonly accepts: Matcher }
  | { readonly kind: 'fork'; readonly to: readonly number[] }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }

export type Pattern = (text: string) => boolean

const MAX_PATTERN_LENGTH = 500
/** Repetitions are expanded: (a{100}){100} would have 10,000 steps. */
const MAX_STEPS = 2000
const MAX_TEXT_LENGTH = 2000
/** Per pattern, over all values it is matched against; about a second. */
const MAX_WORK = 30_000_000

/**
 * Compiles a pattern. Matching throws a FhirError 422 (too-costly) when the pattern has done too much work, and a
 * BudgetError when the request has.
 * @throws SyntaxError when the pattern is too large, or naming the part that is not supported
 */
export function patternOf(source: string): Pattern {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new SyntaxError(`has ${source.length} characters; the maximum is ${MAX_PATTERN_LENGTH}`)
  const steps: Step[] = []
  write(parsePattern(source), steps)
  const matches = matcherOf(steps)
  let work = 0
  return (text) => {
    work += text.length * steps.length
    if (work > MAX_WORK) throw tooCostly(source)
    return text.length <= MAX_TEXT_LENGTH && matches(text)
  }
}

const tooCostly = (source: string): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The pattern ${source.slice(0, 50)} takes too long to match against so many values; use a shorter one`,
  })

/** Appends the steps of a node; it continues after its last step. A fork continues at several steps. */
function write(node: PatternNode, steps: Step[]): void {
  if (steps.length > MAX_STEPS) throw new SyntaxError(`is too large: its repetitions make more than ${MAX_STEPS} steps`)
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

function writeChoice(nodes: readonly PatternNode[], steps: Step[]): void {
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

function writeRepeat(node: PatternNode, min: number, max: number, steps: Step[]): void {
  for (let times = 0, before = -1; times < min && before < steps.length; times++) {
    // A node that only matches the empty text need not be repeated.
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

/** The steps that are reached at one place of the text; emptied at no cost. */
class StepSet {
  readonly items: Uint16Array
  size = 0
  readonly #marks: Uint32Array
  #mark = 1

  /** @param count of all steps, the end of the pattern included */
  constructor(count: number) {
    this.items = new Uint16Array(count)
    this.#marks = new Uint32Array(count)
  }

  clear(): void {
    this.size = 0
    this.#mark++
  }

  add(step: number): void {
    if (this.#marks[step] === this.#mark) return
    this.#marks[step] = this.#mark
    this.items[this.size++] = step
  }

  has(step: number): boolean {
    return this.#marks[step] === this.#mark
  }
}

/** Steps of a pattern that are taken in one step of the budget. */
const TAKEN_IN_A_STEP = 30

function matcherOf(steps: readonly Step[]): Pattern {
  const meter = new Meter('the patterns that values are matched against')
  let reached = new StepSet(steps.length + 1)
  let next = new StepSet(steps.length + 1)
  return (text) => {
    const characters = [...text]
    meter.pay(1)
    reached.clear()
    reached.add(0)
    follow(reached, steps, 0, characters.length)
    for (const [at, character] of characters.entries()) {
      meter.pay(reached.size / TAKEN_IN_A_STEP)
      next.clear()
      for (let index = 0; index < reached.size; index++) {
        const step = steps[reached.items[index] ?? 0]
        if (step?.kind === 'character' && step.accepts(character)) next.add((reached.items[index] ?? 0) + 1)
      }
      if (next.size === 0) return false
      follow(next, steps, at + 1, characters.length)
      ;[reached, next] = [next, reached]
    }
    return reached.has(steps.length)
  }
}

/** Adds the steps that can be reached from those in `reached` before the next character. */
function follow(reached: StepSet, steps: readonly Step[], at: number, length: number): void {
  for (let index = 0; index < reached.size; index++) {
    const current = reached.items[index] ?? 0
    const step = steps[current]
    if (step?.kind === 'fork') for (const to of step.to) reached.add(to)
    if ((step?.kind === 'start' && at === 0) || (step?.kind === 'end' && at === length)) reached.add(current + 1)
  }
}

export type Matcher = (character: string) => boolean

export type PatternNode =
  | { readonly kind: 'character'; readonly accepts: Matcher }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }

const MAX_GROUP_DEPTH = 20

/** @throws SyntaxError naming the part of the pattern that is not supported */
const parsePattern = (source: string): PatternNode => new Parser(source).parse()

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
