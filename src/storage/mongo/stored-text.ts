/**
 * A resource in two forms: the exact text to send, and a BSON document that people can query
 * (https://www.mongodb.com/docs/manual/reference/bson-types/).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Binary, Decimal128, type Document } from 'mongodb'
import { FhirDecimal, parseJsonUnpaid } from '../../fhir/json.ts'

/** Longer texts (in characters) are compressed. */
const MAX_PLAIN = 1024 * 1024
/** Longer texts (in characters) have no document with them: together they could exceed the 16 MB of a document. */
const MAX_WITH_DOCUMENT = 3 * 1024 * 1024
/** MongoDB allows 100 levels; the rest is for the surrounding document. */
const MAX_DEPTH = 90

export const packText = (text: string): string | Binary =>
  text.length <= MAX_PLAIN ? text : new Binary(deflateRawSync(text, { level: 1 }))

export const isPacked = (text: string | Binary): text is Binary => typeof text !== 'string'

export const unpackText = (text: string | Binary): string =>
  isPacked(text) ? inflateRawSync(text.buffer).toString() : text

/**
 * The resource as a document; undefined where that is impossible: not a JSON object, too long, too deep, or with names
 * that BSON forbids.
 */
export function documentOf(text: string): Document | undefined {
  if (text.length > MAX_WITH_DOCUMENT || !text.startsWith('{')) return undefined
  try {
    const document = bsonOf(parseJsonUnpaid(text), 0)
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
  if (depth > MAX_DEPTH) throw new NotRepresentable('too deep')
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

/** A decimal, exact up to 34 digits; a number beyond the exponents of Decimal128 stays a text. */
function decimalOf(source: string): Decimal128 | string {
  const decimal = Decimal128.fromStringWithRounding(source)
  return decimal.toString().includes('Infinity') ? source : decimal
}
