/** Base64 of many megabytes: https://hl7.org/fhir/R4/datatypes.html#base64Binary, with white space anywhere. */

/** Characters that are looked at together. */
const PIECE = 256 * 1024

/** The text without its white space, in pieces of whole groups of four characters; an unfinished group comes last. */
export function* base64Pieces(text: string): Generator<string> {
  let rest = ''
  for (let start = 0; start < text.length; start += PIECE) {
    const compact = rest + withoutSpace(text.slice(start, start + PIECE))
    const whole = compact.length - (compact.length % 4)
    rest = compact.slice(whole)
    yield compact.slice(0, whole)
  }
  yield rest
}

/** A regular expression would take seconds for millions of spaces. */
function withoutSpace(text: string): string {
  if (!/\s/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (const code of bytes) if (code > 0x20) bytes[length++] = code
  return bytes.toString('latin1', 0, length)
}
