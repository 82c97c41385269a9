/**
 * Lossless FHIR JSON: https://hl7.org/fhir/R4/json.html#decimal (1.00 is not 1).
 * A number whose text JavaScript would not reproduce becomes a FhirDecimal, which calculates like a number and is
 * written exactly as it was read; every other value is plain JSON.
 */
import { BudgetError, spend } from '../isolation/budget.ts'

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
  if (!isWithin(MAX_WRITTEN, value)) throw new BudgetError('too costly', 'the size of its answer')
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
