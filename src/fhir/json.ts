/**
 * Lossless FHIR JSON: https://hl7.org/fhir/R4/json.html#decimal (1.00 is not 1).
 * A number whose text JavaScript would not reproduce becomes a FhirDecimal, which calculates like a number and is
 * written exactly as it was read; every other value is plain JSON. Also facts about a text that JSON.parse does not report:
 * its nesting depth and duplicate names.
 */
import { BudgetError, spend } from '../isolation/budget.ts'
import { isObject } from './resource.ts'

// ECMAScript 2026 "JSON.parse source text access", in Node 24 but not yet in TypeScript's library.
declare global {
  interface JSON {
    rawJSON(text: string): object
    parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/** A number that keeps its source text. `instanceof Number`, so `Number(value)` and arithmetic work. */
export class FhirDecimal extends Number {
  readonly source: string
  constructor(source: string) {
    super(source)
    this.source = source
  }
  toJSON(): unknown {
    return JSON.rawJSON(this.source)
  }
}

// String(Number(text)) changes only these: trailing zeros after a point, exponents, values below 0.000001, long digit
// runs and -0. The leading delimiter excludes dates, times and ids, which have digit runs too. A false match inside a string
// only costs the slower parse. Every repetition is bounded, so matching takes linear time.
const MAYBE_LOSSY = /(?:^|(?<!\d):|[,[\s])-?(?:[\d.]{16}|\d{1,14}\.\d{0,14}0(?!\d)|[\d.]{1,15}[eE]|0\.0{6}|(?<=-)0)/

/** Characters that are parsed in a microsecond, and by the slower parse. */
const CHARACTERS_PER_STEP = 30
const SLOW_CHARACTERS_PER_STEP = 20

/**
 * Parses a body or a stored resource, which may be long.
 * @throws SyntaxError with the position of the error
 * @throws BudgetError
 */
export function parseJson(text: string): unknown {
  const isLossy = MAYBE_LOSSY.test(text)
  spend(text.length / (isLossy ? SLOW_CHARACTERS_PER_STEP : CHARACTERS_PER_STEP), 'reading its JSON')
  return isLossy ? parseLossless(text) : JSON.parse(text)
}

/** The same for work that belongs to no request. @throws SyntaxError with the position of the error */
export const parseJsonUnpaid = (text: string): unknown =>
  MAYBE_LOSSY.test(text) ? parseLossless(text) : JSON.parse(text)

function parseLossless(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source !== undefined && String(value) !== context.source
      ? new FhirDecimal(context.source)
      : value,
  )
}

/** Most characters of a response that is composed here. */
const MAX_WRITTEN = 32 * 1024 * 1024

/**
 * The JSON of a response that may repeat a long text: objects share it in memory, while JSON has a copy for each of
 * them.
 * @throws BudgetError when the JSON would be too long
 */
export function writeJson(value: unknown): string {
  if (!isWithin(MAX_WRITTEN, value)) throw new BudgetError('too costly', 'the size of its response')
  return JSON.stringify(value)
}

/** Whether the JSON of the value has at most that many characters, escapes aside. */
function isWithin(most: number, value: unknown): boolean {
  let left = most
  const open: unknown[] = [value]
  while (open.length > 0 && left >= 0) {
    const next = open.pop()
    left -= typeof next === 'string' ? next.length + PUNCTUATION : PUNCTUATION
    if (typeof next !== 'object' || next === null) continue
    for (const [name, child] of Object.entries(next)) {
      if (!Array.isArray(next)) left -= name.length + PUNCTUATION
      open.push(child)
    }
  }
  return left >= 0
}

/** Quotes and what separates values; a number, true and false have some characters too. */
const PUNCTUATION = 3

/** A plain number or a FhirDecimal. */
export const isNumber = (value: unknown): value is number | FhirDecimal =>
  typeof value === 'number' || value instanceof Number

export interface JsonCount {
  /** Properties of all objects. */
  readonly names: number
  /** Objects, arrays and their members. */
  readonly values: number
}

/**
 * Counted before parsing, so that a hostile body can neither exhaust memory nor overflow the stack of the code that
 * processes it later. Undefined when the text is nested deeper than `maxDepth`.
 */
export function countJson(text: string, maxDepth: number): JsonCount | undefined {
  let depth = 0
  let names = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case ':':
        names++
        break
      case ',':
        values++
        break
      case '{':
      case '[':
        values++
        if (++depth > maxDepth) return undefined
        break
      case '}':
      case ']':
        depth--
    }
  }
  return { names, values }
}

/** Values of a body or a file. 16 MB of ordinary resources have half as many. */
export const MAX_JSON_VALUES = 2_000_000

/** False when JSON.parse has silently dropped a property because its name occurs twice. */
export const hasAllNames = (value: unknown, names: number): boolean => namesIn(value) === names

function namesIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + namesIn(item), 0)
  if (!isObject(value)) return 0
  let names = 0
  for (const name in value) names += 1 + namesIn(value[name])
  return names
}

/** The first duplicate name within an object of this valid JSON text. */
export function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = []
  let string = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{') open.push(new Set())
    else if (char === '}') open.pop()
    else if (char === '"') {
      const end = endOfString(text, at)
      string = text.slice(at, end + 1)
      at = end
    } else if (char === ':') {
      const name: string = JSON.parse(string)
      if (open.at(-1)?.has(name)) return name
      open.at(-1)?.add(name)
    }
  }
  return undefined
}

/** The position of the quote that closes the string opened at `start`; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
