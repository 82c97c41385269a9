/**
 * The element `data` in JSON and XML: https://hl7.org/fhir/R4/json.html#primitive, https://hl7.org/fhir/R4/xml.html.
 */
import { CONTENT_URL, contentMarker } from '../fhir/content/marker.ts'
import type { ContentSyntax } from './scan.ts'

const byteOf = (character: string): number => character.charCodeAt(0)
const bytesOf = (text: string): ReadonlySet<number> => new Set(Buffer.from(text))

/** The character of a numeric escape; base64 is ASCII only. */
const character = (digits: string, radix: number): string => {
  const code = Number.parseInt(digits, radix)
  return code < 0x80 ? String.fromCharCode(code) : NO_BASE64
}

const NO_BASE64 = '\0'

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '/': '/', n: '\n', r: '\r', t: '\t', f: '\f' }

/** `"data" : "…"`. Some writers of JSON escape the slash, and others the plus. */
export const JSON_SYNTAX: ContentSyntax = {
  key: Buffer.from('"data"'),
  before: bytesOf('{, \t\r\n'),
  outside: byteOf('"'),
  lead: /^"data"\s*:\s*"/,
  unfinishedLead: /^"data"\s*(?::\s*)?$/,
  // The marker has a name of its own.
  keptOf: () => '',
  escapes: {
    pattern: /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
    unfinished: /\\(?:u[0-9a-fA-F]{0,3})?$/,
    meaning: (written, hex: string | undefined, short = '') =>
      hex === undefined ? (SHORT_ESCAPES[short] ?? written) : character(hex, 16),
  },
  rest: /^/,
  unfinishedRest: /^$/,
  closing: () => '',
  marker: contentMarker,
}

const ATTRIBUTES = String.raw`(?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*`

/** `<data value="…"/>`, whose own extensions, if any, follow that of the marker. */
export const XML_SYNTAX: ContentSyntax = {
  key: Buffer.from('<data'),
  outside: byteOf('<'),
  lead: new RegExp(String.raw`^<data${ATTRIBUTES}?\s+value\s*=\s*["']`),
  unfinishedLead: /^<data(?:\s[^<>]*)?$/,
  keptOf: (lead) => lead.replace(/\s+value\s*=\s*["']$/, ''),
  escapes: {
    pattern: /&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));/g,
    unfinished: /&[^;]{0,9}$/,
    meaning: (_written, hex: string | undefined, decimal = '') =>
      hex === undefined ? character(decimal, 10) : character(hex, 16),
  },
  rest: new RegExp(String.raw`^(${ATTRIBUTES}\s*)(/?)>`),
  unfinishedRest: /^[^<>]*$/,
  closing: ([, , isEmpty]) => (isEmpty === '/' ? '</data>' : ''),
  marker: (sha256) => `>${xmlOf(sha256)}`,
}

const xmlOf = (sha256: string): string => `<extension url="${CONTENT_URL}"><valueString value="${sha256}"/></extension>`
