/**
 * Lossless FHIR JSON: https://hl7.org/fhir/R4/json.html#decimal (1.00 is not 1).
 * A number whose text JavaScript would not reproduce becomes a FhirDecimal, which calculates like a number and is
 * written exactly as it was read; every other value is plain JSON.
 */

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
// runs and -0. The leading delimiter excludes dates and ids, which have digit runs too. A false match inside a string
// only costs the slower parse. Every repetition is bounded, so matching takes linear time.
const MAYBE_LOSSY = /(?:^|[:,[\s])-?(?:[\d.]{16}|\d{1,14}\.\d{0,14}0(?!\d)|[\d.]{1,15}[eE]|0\.0{6}|(?<=-)0)/

/** @throws SyntaxError with the position of the error */
export function parseJson(text: string): unknown {
  if (!MAYBE_LOSSY.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_name, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source !== undefined && String(value) !== context.source
      ? new FhirDecimal(context.source)
      : value,
  )
}

/** A plain number or a FhirDecimal. */
export const isNumber = (value: unknown): value is number | FhirDecimal =>
  typeof value === 'number' || value instanceof Number
