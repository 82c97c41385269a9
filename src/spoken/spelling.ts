/** Letters as callers spell them: "b as in bravo", "double l", NATO words. */
import { doubleMetaphone } from 'double-metaphone'
import { repeatDoubled } from './numbers.ts'

const NATO: ReadonlyMap<string, string> = new Map(
  `alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa
  quebec romeo sierra tango uniform victor whiskey whisky xray x-ray yankee zulu`
    .split(/\s+/)
    .map((word) => [word, word.charAt(0)] as const),
)

export const isLetter = (word: string): boolean => /^\p{L}$/u.test(word)

/** The letter of a NATO word. Mike and Victor are also names, so the calling code must be certain. */
export const natoLetter = (word: string): string | undefined => NATO.get(word)

/** "double u" is one letter, not two. */
export const withDoubleU = (text: string): string => text.replace(/\bdouble (?:u|you)\b/g, 'w')

/** Expands "double l" to "l l", and removes examples: see `withoutExamples`. */
export const spelledLetters = (words: readonly string[]): string[] => repeatDoubled(withoutExamples(words))

/**
 * Reduces "b as in bravo", "b for bravo" and "b like bravo" to the letter; the word must begin with it, and a comma
 * after it is removed too.
 * @param isOther whether a word is not an example
 * @param certain the representation of a letter that has an example
 */
export function withoutExamples(
  words: readonly string[],
  isOther: (word: string) => boolean = () => false,
  certain: (letter: string) => string = (letter) => letter,
): readonly string[] {
  const out: string[] = []
  for (let i = 0; i < words.length; i++) {
    const letter = words[i] ?? ''
    out.push(letter)
    const link = isLetter(letter) ? linkAt(words, i + 1) : 0
    const example = words[i + link + 1] ?? ''
    if (link === 0 || !example.startsWith(letter) || isOther(example)) continue
    out[out.length - 1] = certain(letter)
    i += link + 1
    if (words[i + 1] === ',') i++
  }
  return out
}

/** Number of words in "as in", "for", "like" or "as" at `at`; 0 if there is none of them. */
function linkAt(words: readonly string[], at: number): number {
  if (words[at] === 'as' && words[at + 1] === 'in') return 2
  return ['for', 'like', 'as'].includes(words[at] ?? '') ? 1 : 0
}

/** The letters alone, in lower case and without accents. */
export const plainText = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase()

/** Compares by Double Metaphone. */
export function soundAlike(one: string, other: string): boolean {
  const sounds = soundsOf(one)
  return soundsOf(other).some((sound) => sounds.includes(sound))
}

const soundsOf = (word: string): readonly string[] => doubleMetaphone(plainText(word)).filter((sound) => sound !== '')
