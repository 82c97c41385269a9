/** The forms in which texts are compared. */
import { doubleMetaphone } from 'double-metaphone'
import { memoize } from './memoize.ts'

/** Letters without a decomposition, as they are not a plain letter with a mark. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
}
const NOT_PLAIN = /[łøđðþßæœı]/g

/**
 * The form in which strings are compared: no case, no accents, no punctuation, single spaces
 * (https://hl7.org/fhir/R4/search.html#string).
 */
export function fold(value: string): string {
  // Most values have nothing but these.
  if (/^[ -~]*$/.test(value)) {
    const lower = value.toLowerCase()
    return /^[a-z0-9]*$/.test(lower) ? lower : lower.replace(/[^a-z0-9]+/g, ' ').trim()
  }
  return unaccented(value)
    .replace(NOT_PLAIN, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim()
}

/** The text without case and accents. */
export function unaccented(value: string): string {
  // Most texts have nothing but ASCII.
  if (!/[^\0-\x7f]/.test(value)) return value.toLowerCase()
  return (
    value
      // Before too: normalize() sorts the marks of a letter, and takes hours for a million of them.
      .replace(/\p{M}+/gu, '')
      .normalize('NFD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
  )
}

/** Marks in a row that no letter of any language has. */
const MANY_MARKS = /\p{M}{32}/u

/** The form in which texts are the same to the letter, whether an accent is a character of its own (NFD) or not (NFC). */
export const composed = (value: string): string =>
  // normalize() sorts the marks of a letter, and takes hours for a million of them.
  /^[ -~]*$/.test(value) || MANY_MARKS.test(value) ? value : value.normalize('NFC')

/** Most people have one of a few thousand names. */
const MAX_CACHED = 10_000
/** Longest word, in letters, that is cached; longer ones are not names of people, and would fill the memory. */
const LONGEST_CACHED = 40

/** The primary sound first; one that is '' means that the word has none. */
type Sounds = readonly [primary: string, secondary: string]

function findSounds(word: string): Sounds {
  const [primary, secondary] = doubleMetaphone(word)
  return [primary.toLowerCase(), secondary.toLowerCase()]
}

const cachedSounds = memoize(MAX_CACHED, findSounds)

/**
 * The sounds of a word without spaces, in lower case, by Double Metaphone (Lawrence Philips, C/C++ Users Journal, June
 * 2000); to find them takes longer than everything else about a name.
 */
export const soundsOf = (word: string): Sounds => (word.length > LONGEST_CACHED ? findSounds(word) : cachedSounds(word))
