/** The text of search values: https://hl7.org/fhir/R4/search.html#escaping and #string. */

/** Splits where no backslash stands before the separator. */
export function split(text: string, separator: ',' | '|' | '$'): readonly string[] {
  const parts = ['']
  for (const [piece] of text.matchAll(/\\.|./gsu)) {
    if (piece === separator) parts.push('')
    else parts.push(`${parts.pop()}${piece}`)
  }
  return parts
}

export const withoutEscapes = (text: string): string => text.replace(/\\([\\,|$])/g, '$1')

/** Without case, accents and punctuation. */
export const plain = (text: string): string =>
  [...text.normalize('NFD')]
    .filter((letter) => !/\p{M}/u.test(letter))
    .map((letter) => (/[\p{L}\p{N}]/u.test(letter) ? letter.toLowerCase() : ' '))
    .join('')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')

/** By code point. */
export function compareTexts(one: string, other: string): number {
  const [left, right] = [[...one], [...other]]
  for (const [index, letter] of left.entries()) {
    const difference = (letter.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? -1)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
