/** Escaping of text in XML: https://www.w3.org/TR/xml/#charsets, https://www.w3.org/TR/xml/#syntax. */

/** Not a character of XML 1.0; of these FHIR strings allow only U+FFFE and U+FFFF. */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
/** Any character that may need escaping. */
const TO_ESCAPE = /[^\u{20}!#-%'-;=-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Escapes an attribute value in double quotes. Line breaks and tabs would be read as spaces. */
export const attributeText = (value: string): string => (TO_ESCAPE.test(value) ? escaped(value, /[&<"\t\n\r]/g) : value)

/** Escapes text between tags. */
export const contentText = (value: string): string => escaped(value, /[&<>\r]/g)

const escaped = (value: string, special: RegExp): string =>
  value.replace(IMPOSSIBLE, '\u{fffd}').replace(special, (character) => ESCAPES[character] ?? character)
