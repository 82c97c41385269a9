/** The text of search values: https://hl7.org/fhir/R4/search.html#escaping and #string. */

/** The characters that a backslash escapes, and private-use stand-ins for the escaped ones while a text is split. */
const ESCAPED = ['\\', ',', '|', '$']
const STAND_INS = ['\uE000', '\uE001', '\uE002', '\uE003']

const replacedAll = (text: string, from: readonly string[], to: readonly string[]): string =>
  from.reduce((changed, one, at) => changed.replaceAll(one, to[at] ?? ''), text)

const PAIRS = ESCAPED.map((letter) => `\\${letter}`)
/** Escaped backslashes come first, so that the character after one is not taken for escaped. */
const hidden = (text: string): string => replacedAll(text, PAIRS, STAND_INS)

/** The parts keep their escapes. */
export const split = (text: string, separator: ',' | '|' | '$'): readonly string[] =>
  hidden(text)
    .split(separator)
    .map((part) => replacedAll(part, STAND_INS, PAIRS))

export const withoutEscapes = (text: string): string => replacedAll(hidden(text), STAND_INS, ESCAPED)

/** Letters without an accent that are written as others where a keyboard lacks them. */
const WRITTEN_AS: ReadonlyMap<string, string> = new Map(
  ['ß ss', 'æ ae', 'œ oe', 'ø o', 'ł l', 'đ d', 'ð d', 'þ th', 'ı i'].map((pair) => {
    const [letter = '', others = ''] = pair.split(' ')
    return [letter, others] as const
  }),
)

/** Without case, accents and punctuation. */
export const plain = (text: string): string =>
  [...text.normalize('NFD').toLowerCase()]
    .flatMap((letter) => [...(WRITTEN_AS.get(letter) ?? letter)])
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
