/** Numbers on a card (member id, group id), as printed or as spelled: "m as in mary 9 0 0 oh 7". */

import { DIGITS, mayGroupOtherwise, repeatDoubled, TEENS, TENS, wordsToDigits } from './numbers.ts'
import { isLetter, natoLetter, withDoubleU, withoutExamples } from './spelling.ts'
import {
  bareValue,
  hasSecondThoughts,
  isNoValue,
  type ParsedValue,
  plainNumber,
  tooLong,
  unclear,
  understood,
  wholeNumberText,
} from './spoken.ts'

/** Most characters of a normal form. */
const MAX_LENGTH = 200

const SPELL = 'give it letter by letter and digit by digit, for example XYZ-1235 or "m as in mary nine zero zero"'

/** A value typed in one piece is kept. A spelled one becomes upper case without spaces; "dash" and "slash" count. */
export function spokenIdentifier(value: unknown): ParsedValue {
  const digits = wholeNumberText(value)
  if (digits !== undefined) return understood(digits)
  if (value === undefined) return unclear('The value is missing')
  if (typeof value !== 'string' || !value.isWellFormed()) return unclear('The value must be text, or a whole number')
  if (value.trim() === '') return unclear('The value is missing')
  if (tooLong(value)) return unclear(`The value has ${value.length} characters; it may have ${MAX_LENGTH}`)
  return readSpoken(plainNumber(value.replace(/[\p{Cc}\s]+/gu, ' ')))
}

function readSpoken(text: string): ParsedValue {
  const said = bareValue(text, 'identifier')
  if (said === '' || isNoValue(said)) return unclear(`The value holds no id; ${SPELL}`)
  if (hasSecondThoughts(said)) return unclear(`It is not certain which id is meant; ${SPELL}`)
  const id = isOnePiece(said) ? said.replace(/[.,;:!?]+$/, '') : spelled(said, said !== text)
  if (id === undefined || (!isOnePiece(said) && isSaidTwice(id))) return unclear(`The id is not certain; ${SPELL}`)
  return id.length > MAX_LENGTH
    ? unclear(`The value has ${id.length} characters; it may have ${MAX_LENGTH}`)
    : understood(id)
}

/** Printed as on a card; "X-Y-Z-1-2" is the transcript of a spelled value. */
const isOnePiece = (said: string): boolean =>
  !/\s/.test(said) && !isWordOfNumber(said.toLowerCase()) && !/^[A-Za-z\d](?:-[A-Za-z\d]){2,}$/.test(said)

/** "m 9 0 0 7, m 9 0 0 7" */
const isSaidTwice = (id: string): boolean => id.length >= 8 && /^(.+)\1$/.test(id)

const isWordOfNumber = (word: string): boolean => DIGITS.has(word) || TEENS.has(word) || TENS.has(word)

const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({ dash: '-', hyphen: '-', minus: '-', slash: '/', '-': '-', '/': '/', space: '' }),
)

/** Names of letters as speech recognition writes them, except those that are common words. */
const LETTER_NAMES: ReadonlyMap<string, string> = new Map(
  'bee:b dee:d eff:f aitch:h jay:j kay:k el:l em:m en:n pee:p cue:q ess:s tee:t vee:v ex:x zee:z zed:z'
    .split(' ')
    .map((pair) => [pair.slice(0, -2), pair.slice(-1)] as const),
)

/** @param introduced whether an introduction was removed, so that an "a" may be an article */
function spelled(text: string, introduced: boolean): string | undefined {
  const written = withDoubleU(text.replace(/^number (?=\S)|\b(?:capital|upper ?case|lower ?case|letter) (?=\S)/gi, ''))
    .split(/[\s,;]+/)
    .map((word) => word.replace(/(?<=.)[.:!?]+$/, ''))
    .flatMap((word) => (/^[A-Za-z\d](?:-[A-Za-z\d])+$/.test(word) ? word.split('-') : [word]))
    .filter((word) => word !== '')
  if (introduced && written[0]?.toLowerCase() === 'a' && !/^(?:as|for|like|[a-z])$/i.test(written[1] ?? ''))
    return undefined
  const words = repeatDoubled(withoutExamples(written.map(lowered), undefined, certain)).map(
    (word) => SIGNS.get(word) ?? LETTER_NAMES.get(word) ?? certain(natoLetter(word)) ?? word,
  )
  if (words.some((word, at) => isOh(word) && !isZero(words, at))) return undefined
  // A caller who says "zero" for the figure may mean the letter with "o".
  if (words.includes('o') && words.some((word) => word !== 'oh' && DIGITS.get(word) === 0)) return undefined
  const read = wordsToDigits(words.map((word) => (isOh(word) ? 'zero' : word)))
  if (mayGroupOtherwise(words) || words.some((word) => word === 'hundred' || word === 'thousand')) return undefined
  if (
    !read.every((word) => word === '' || isLetter(word) || /^\d+$/.test(word) || /^[-/]$/.test(word) || isPrinted(word))
  )
    return undefined
  const id = read.join('').toUpperCase()
  // An incomplete value.
  return /^[-/]|[-/]$/.test(id) ? undefined : id
}

/**
 * Marks a certain letter by upper case, used for nothing else here: the O of "oscar" or "o as in orange" is not a zero.
 */
const certain = <Letter extends string | undefined>(letter: Letter) => letter?.toUpperCase() as Letter

/** Keeps the upper case of printed groups for now, as it distinguishes them from words. */
const lowered = (word: string): string => (isPrinted(word) ? word : word.toLowerCase())

/** A group of characters as on a card: in upper case, or with a digit. */
const isPrinted = (word: string): boolean => /^(?=.*\d|[A-Z\d-]{2,}$)[A-Za-z\d]+(?:-[A-Za-z\d]+)*$/.test(word)

const isOh = (word: string): boolean => word === 'oh' || word === 'o'

/** "oh" is a zero between digits, and at the end after digits; beside a letter it is uncertain. */
function isZero(words: readonly string[], at: number): boolean {
  const next = (step: number): string | undefined => {
    let index = at + step
    while (isOh(words[index] ?? '') || SIGNS.has(words[index] ?? '')) index += step
    return words[index]
  }
  const isFigure = (word: string | undefined): boolean =>
    word !== undefined && (/\d$/.test(word) || isWordOfNumber(word))
  const [before, after] = [next(-1), next(1)]
  return isFigure(before) && (after === undefined || isFigure(after))
}
