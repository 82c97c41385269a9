/**
 * `phonetic`: names that sound alike by Double Metaphone (Lawrence Philips, C/C++ Users Journal, June 2000).
 * https://hl7.org/fhir/R4/patient.html#search says "some kind of phonetic matching algorithm".
 */
import { doubleMetaphone } from 'double-metaphone'
import { fold } from '../../fhir/text-folding.ts'
import type { Condition, IndexEntry } from '../plan.ts'
import { malformed, unescaped, type ValueContext } from '../value.ts'
import { extractString } from './string.ts'

/**
 * Extracts one entry with the sounds of all words of all values; an empty one, for :missing, where no word has a sound.
 */
export function extractPhonetic(param: string, value: unknown, entries: IndexEntry[]): void {
  const texts: IndexEntry[] = []
  extractString({ code: param }, value, texts)
  if (texts.length === 0) return
  const sounds = texts.flatMap((entry) => (entry.kind === 'string' ? wordsOf(entry.folded).flatMap(soundsOf) : []))
  const last = entries.at(-1)
  const isMore = last?.kind === 'words' && last.param === param
  if (isMore) entries.pop()
  const all = new Set([...(isMore ? wordsOf(last.words) : []), ...sounds])
  entries.push({ kind: 'words', param, words: [...all].join(' ') })
}

/** A condition that every word sounds like one of the name's, in any order. */
export function parsePhonetic(param: string, text: string, context: ValueContext): Condition {
  const value = unescaped(text)
  const words = wordsOf(fold(value)).map(soundsOf)
  if (words.length === 0 || words.some((sounds) => sounds.length === 0))
    throw malformed(context, value, 'has a word without a letter that sounds; write a name, e.g. Smyth')
  return allOf(words.map((sounds) => anyOf(sounds.map((sound) => soundsLike(param, sound)))))
}

const soundsLike = (param: string, value: string): Condition => ({ kind: 'words', param, match: 'equal', value })

const allOf = (of: readonly Condition[]): Condition => (of.length === 1 && of[0] ? of[0] : { kind: 'all', of })
const anyOf = (of: readonly Condition[]): Condition => (of.length === 1 && of[0] ? of[0] : { kind: 'any', of })

const wordsOf = (folded: string): readonly string[] => folded.split(' ').filter((word) => word !== '')

/** The phonetic codes of a word, in lower case like all searched words. */
const soundsOf = (word: string): readonly string[] =>
  [...new Set(doubleMetaphone(word))].filter((sound) => sound !== '').map((sound) => sound.toLowerCase())
