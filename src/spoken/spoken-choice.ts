/** Selects the name that a caller means: "doctor Smith", "the riverside office", "a check up". */
import { memoize } from '../fhir/memoize.ts'
import { soundsOf } from '../fhir/text-folding.ts'
import { isSingleEdit } from '../matching/compare.ts'
import { plain } from './spoken.ts'

export interface SpokenChoice {
  /** Indexes of the names that contain all the stated words. */
  readonly certain: readonly number[]
  /** If there are none: indexes of names that sound alike, or contain some of the words. */
  readonly similar: readonly number[]
}

/** Words before and around a name, and letters after it. */
const AROUND = new Set(
  [
    'a an the with at in on for to of from my our please i want need see visit appointment office clinic location place',
    'dr doctor mr mister mrs missus ms miss prof professor md np do pa phd rn nurse',
    'any anyone anybody anywhere whoever whichever',
  ].flatMap((words) => words.split(' ')),
)

/** Words of callers without a preference. Beside a name they may exclude it: "no Okafor", "I don't want Okafor". */
const NO_WISH = new Set('no preference doesnt matter dont mind care either is'.split(' '))

/** Phrases for whoever, or whatever, is free. */
const FIRST_FREE = /\b(?:(?:the )?(?:first|next|earliest|soonest)|is) (?:available|free|opening)\b/gi

/** Most characters; a name is shorter. */
const MAX_LENGTH = 200

/** Whether a particular person or thing was named: not by "any doctor". */
export const isNamed = (said: string): boolean => tellingWords(said.slice(0, MAX_LENGTH)).length > 0

/** Ignores case, accents, titles and punctuation. Nothing matches if only titles were said. */
export function chooseSpoken(said: string, names: readonly string[]): SpokenChoice {
  const words = tellingWords(said.slice(0, MAX_LENGTH))
  const all = names.map((name) => nameOf(name))
  const those = (test: (name: SpokenName) => boolean): readonly number[] =>
    all.flatMap((name, index) => (test(name) ? [index] : []))
  const [whole, telling] = [wordsOf(said.slice(0, MAX_LENGTH)).join(''), words.join('')]
  const same = those((name) => name.whole === whole || name.telling === telling)
  if (same.length > 0) return { certain: same, similar: [] }
  if (words.length === 0) return { certain: [], similar: [] }
  const certain = those(({ known }) => words.every((word) => known.has(word)) || known.has(telling))
  if (certain.length > 0) return { certain, similar: [] }
  const alike = those((name) => soundsLike(name.words, words))
  return {
    certain: [],
    similar: alike.length > 0 ? alike : those((name) => words.some((word) => name.words.includes(word))),
  }
}

/** Size of the caches of names, of callers' phrases about them, and of their words. */
const MAX_CACHED = 5_000

const wordsOf = memoize(MAX_CACHED, (text): readonly string[] =>
  plain(text)
    .normalize('NFD')
    .replace(/[\p{M}']/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== ''),
)

function tellingOf(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !AROUND.has(word))
  return telling.every((word) => NO_WISH.has(word)) ? [] : telling
}

const tellingWords = (text: string): readonly string[] => tellingOf(wordsOf(text.replace(FIRST_FREE, '')))

interface SpokenName {
  readonly words: readonly string[]
  /** Its words joined, and its distinguishing words joined. */
  readonly whole: string
  readonly telling: string
  /** Its words, and each pair of consecutive words joined, as "checkup" means "check-up" and vice versa. */
  readonly known: ReadonlySet<string>
}

const nameOf = memoize(MAX_CACHED, (text): SpokenName => {
  const words = wordsOf(text)
  const joined = words.slice(1).map((word, index) => `${words[index]}${word}`)
  return { words, whole: words.join(''), telling: tellingOf(words).join(''), known: new Set([...words, ...joined]) }
})

/** Compares by sound, or with one letter changed. */
const soundsLike = (name: readonly string[], words: readonly string[]): boolean =>
  words.every((word) =>
    name.some((one) => soundOf(one) === soundOf(word) || (word.length > 4 && isSingleEdit(one, word))),
  )

/** A word without a Double Metaphone code stands for itself. */
const soundOf = (word: string): string => soundsOf(word)[0] || word
