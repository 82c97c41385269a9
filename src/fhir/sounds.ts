/** The sounds of words by Double Metaphone (Lawrence Philips, C/C++ Users Journal, June 2000). */
import { doubleMetaphone } from 'double-metaphone'
import { memoize } from './memoize.ts'

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

/** The sounds of a word without spaces, in lower case; to find them takes longer than everything else about a name. */
export const soundsOf = (word: string): Sounds => (word.length > LONGEST_CACHED ? findSounds(word) : cachedSounds(word))
