/** The primitive types: https://hl7.org/fhir/R4/datatypes.html#primitive. */

import { base64Pieces } from '../base64.ts'
import { isNumber } from '../json.ts'
import { ID } from '../reference.ts'

export interface Primitive {
  readonly accepts: (value: unknown) => boolean
  /** The JSON type, as given by `typeof`. */
  readonly json: 'string' | 'number' | 'boolean'
  /** For a message after "must be". */
  readonly expected: string
  /** The fault of a text and its place, for a message after that. */
  readonly faultOf?: (text: string) => string | undefined
}

/** In characters; the specification limits strings to 1 MB. */
const MAX_STRING_LENGTH = 1_048_576
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/

const isText = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= MAX_STRING_LENGTH &&
  !CONTROL.test(value) &&
  value.isWellFormed()

const text = (expected: string, pattern?: RegExp): Primitive => ({
  json: 'string',
  expected,
  accepts: (value) => isText(value) && (pattern === undefined || pattern.test(value)),
})

const YEAR = '(?!0000)\\d{4}'
const DAY = '(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])'
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?'
const ZONE = '(?:Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))'

const DATE = new RegExp(`^${YEAR}(?:-(?:0[1-9]|1[0-2])|-${DAY})?$`)
const DATE_TIME = new RegExp(`^${YEAR}(?:-(?:0[1-9]|1[0-2])|-${DAY}(?:T${TIME}${ZONE})?)?$`)
const INSTANT = new RegExp(`^${YEAR}-${DAY}T${TIME}${ZONE}$`)

/** Whether the day exists in a text that begins with YYYY-MM-DD; true for a text without a day. */
function dayExists(date: string): boolean {
  const day = Number(date.slice(8, 10))
  return day <= 28 || new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDate() === day
}

const date = (pattern: RegExp, expected: string): Primitive => ({
  json: 'string',
  expected,
  accepts: (value) => typeof value === 'string' && pattern.test(value) && dayExists(value),
})

const integer = (low: number, expected: string): Primitive => ({
  json: 'number',
  expected,
  accepts: (value) => Number.isInteger(value) && Number(value) >= low && Number(value) <= 2_147_483_647,
})

const NOT_BASE64 = /[^A-Za-z0-9+/ \t\r\n\f\v]/

/** Searches for the first invalid character, which needs no backtracking even in texts of many megabytes. */
function faultOfBase64(text: string): string | undefined {
  const end = text.search(NOT_BASE64)
  if (end !== -1 && !/^=\s*=?\s*$/.test(text.slice(end))) return `it is not from character ${end + 1} on`
  const length = base64Pieces(text).reduce((sum, piece) => sum + piece.length, 0)
  if (length === 0) return 'it is empty'
  if (length % 4 === 0) return undefined
  return `it ends at character ${text.length} within a group of four: it is cut off, or its padding (=) is missing`
}

const STRING = 'text: not empty, at most 1,048,576 characters, no control characters but tab and line breaks'
const URI = 'a URI: not empty and without spaces'

export const PRIMITIVES: ReadonlyMap<string, Primitive> = new Map<string, Primitive>([
  [
    'boolean',
    { json: 'boolean', accepts: (value) => typeof value === 'boolean', expected: 'true or false, without quotes' },
  ],
  ['string', text(STRING)],
  ['markdown', text(STRING)],
  [
    'xhtml',
    {
      json: 'string',
      accepts: (value) => typeof value === 'string' && value.isWellFormed(),
      expected: 'XHTML in one div, as a string',
    },
  ],
  ['code', text('a code: no spaces at the ends and single ones between words', /^\S+(?:\s\S+)*$/)],
  ['id', text('an id: 1 to 64 of A-Z a-z 0-9 - and .', ID)],
  ['uri', text(`${URI}, e.g. "http://loinc.org"`, /^\S+$/)],
  ['url', text(`${URI}, e.g. "https://example.org/form"`, /^\S+$/)],
  ['canonical', text(`${URI}, e.g. "http://hl7.org/fhir/StructureDefinition/Patient|4.0.1"`, /^\S+$/)],
  ['oid', text('an OID, e.g. "urn:oid:1.2.3.4.5"', /^urn:oid:[0-2](?:\.(?:0|[1-9]\d*))+$/)],
  [
    'uuid',
    text(
      'a lower-case UUID, e.g. "urn:uuid:c757873d-ec9a-4326-a141-556f43239520"',
      /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    ),
  ],
  ['date', date(DATE, 'a date that exists, as YYYY, YYYY-MM or YYYY-MM-DD, e.g. "1974-12-25"')],
  [
    'dateTime',
    date(
      DATE_TIME,
      'a date that exists, or with seconds and time zone a time, e.g. "2024-05-31" or "2024-05-31T09:30:00Z"',
    ),
  ],
  ['instant', date(INSTANT, 'a point in time with seconds and time zone, e.g. "2024-05-31T09:30:00.000Z"')],
  ['time', text('a time of day with seconds and no zone, e.g. "09:30:00"', new RegExp(`^${TIME}$`))],
  [
    'decimal',
    {
      json: 'number',
      accepts: (value) => isNumber(value) && Number.isFinite(Number(value)),
      expected: 'a number without quotes, e.g. 7.25, and below 1.8e308',
    },
  ],
  [
    'integer',
    integer(-2_147_483_648, 'a whole number between -2147483648 and 2147483647, without quotes or decimal point'),
  ],
  ['unsignedInt', integer(0, 'a whole number between 0 and 2147483647, without quotes or decimal point')],
  ['positiveInt', integer(1, 'a whole number between 1 and 2147483647, without quotes or decimal point')],
  [
    'base64Binary',
    {
      json: 'string',
      accepts: (value) => typeof value === 'string' && faultOfBase64(value) === undefined,
      faultOf: faultOfBase64,
      expected: 'base64 (A-Z a-z 0-9 + /, not - and _), padded to a multiple of four characters, e.g. "SGVsbG8="',
    },
  ],
])
