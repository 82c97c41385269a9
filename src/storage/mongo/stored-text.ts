/**
 * A resource in two forms: the text to send, to the letter, and a BSON document that people can query
 * (https://www.mongodb.com/docs/manual/reference/bson-types/).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Binary, Decimal128, type Document } from 'mongodb'
import { FhirDecimal, parseJson } from '../../fhir/json.ts'

/** Longer texts (in characters) are kept compressed. */
const LONGEST_PLAIN = 1024 * 1024
/** Longer texts (in characters) are kept without a document: both would not fit into one of 16 MB. */
const LONGEST_WITH_DOCUMENT = 3 * 1024 * 1024
/** The server takes 100 levels; the others are around the resource. */
const DEEPEST = 90

export const packText = (text: string): string | Binary =>
  text.length <= LONGEST_PLAIN ? text : new Binary(deflateRawSync(text, { level: 1 }))

export const unpackText = (packed: string | Binary): string =>
  typeof packed === 'string' ? packed : inflateRawSync(packed.buffer).toString()

/** undefined for what a document can't hold: no JSON object, too long, too deep, or with names that BSON forbids. */
export function documentOf(text: string): Document | undefined {
  if (text.length > LONGEST_WITH_DOCUMENT || !text.startsWith('{')) return undefined
  try {
    const document = bsonOf(parseJson(text), 0)
    return typeof document === 'object' && document !== null ? document : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NotRepresentable) return undefined
    throw error
  }
}

class NotRepresentable extends Error {
  override readonly name = 'NotRepresentable'
}

function bsonOf(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new NotRepresentable('too deep')
  if (typeof value === 'number') return Number.isInteger(value) ? value : decimalOf(String(value))
  if (value instanceof FhirDecimal) return decimalOf(value.source)
  if (Array.isArray(value)) return value.map((item) => bsonOf(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (name.includes('\0')) throw new NotRepresentable('a name with a null character')
      return [name, bsonOf(part, depth + 1)]
    }),
  )
}

/** Precise as far as 34 digits go; a number beyond the exponents of Decimal128 stays a text. */
function decimalOf(source: string): Decimal128 | string {
  const decimal = Decimal128.fromStringWithRounding(source)
  return decimal.toString().includes('Infinity') ? source : decimal
}
