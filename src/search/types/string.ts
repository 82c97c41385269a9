/**
 * String parameters: https://hl7.org/fhir/R4/search.html#string; and `phonetic`, for which
 * https://hl7.org/fhir/R4/patient.html#search says "some kind of phonetic matching algorithm": names that sound alike by
 * Double Metaphone.
 */

import { isObject } from '../../fhir/resource.ts'
import { composed, fold, soundsOf } from '../../fhir/text-folding.ts'
import type { SearchParameter, SearchParameterRecord } from '../parameters.ts'
import type { Condition, IndexEntry } from '../plan.ts'
import { any, malformed, unescaped, type ValueContext } from '../value.ts'

export const STRING_MODIFIERS = ['exact', 'contains'] as const

/** The parts of a HumanName and of an Address that are text; `name=` and `address=` find any of them. */
export const TEXT_PARTS: readonly string[] = [
  'text',
  'family',
  'given',
  'prefix',
  'suffix',
  'line',
  'city',
  'district',
  'state',
  'postalCode',
  'country',
]

/**
 * The parameter for the text after the first word of a name or address. R4: "For robust search, servers should search
 * the parts of a family name independently. E.g. searching either "Carreno" or "Quinones" should match a family name of
 * "Carreno Quinones"". It is a separate parameter, so that _sort and _filter see only whole values.
 */
const laterWords = (param: string): string => `${param}:later-words`

/** Apostrophes and hyphens within a word: `O'Brien` is also found as `OBrien`, and `Al-Masri` as `AlMasri`. */
const WITHIN_WORD = /(?<=[\p{L}\p{M}])['’‘ʼ`´\-‐‑–]+(?=\p{L})/gu

/** The folded text without apostrophes and hyphens within its words; undefined where it has none. */
function joined(text: string): string | undefined {
  const without = text.replace(WITHIN_WORD, '')
  return without === text ? undefined : fold(without)
}

/** Most later words of one name or address at which a searched text can begin. */
const MAX_LATER_WORDS = 20
/** Most characters from a later word on. */
const MAX_LATER_LENGTH = 100

const hasParts = ({ element }: Pick<SearchParameterRecord, 'element'>): boolean =>
  element === 'HumanName' || element === 'Address'

/** Parses a string. Without a modifier, a name or address is found by the beginning of each of its words. */
export function parseString(
  parameter: Pick<SearchParameter, 'code' | 'element'>,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Condition {
  const condition = parseText(parameter.code, modifier, text, context)
  if (modifier !== undefined || !hasParts(parameter)) return condition
  const values = [condition.value, joined(unescaped(text)) ?? condition.value]
  const anywhere = (value: string): readonly Condition[] =>
    value.length > MAX_LATER_LENGTH ? [] : [{ ...condition, value, param: laterWords(parameter.code) }]
  return any([...new Set(values)].flatMap((value) => [{ ...condition, value }, ...anywhere(value)]))
}

/** Parses a text. Without a modifier it matches values that begin with it, ignoring case, accents and punctuation. */
export function parseText(
  param: string,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Extract<Condition, { kind: 'string' }> {
  const value = unescaped(text)
  if (modifier === 'exact') return { kind: 'string', param, match: 'exact', value: composed(value) }
  const folded = fold(value)
  if (folded === '') throw malformed(context, value, 'holds no letter or digit to compare')
  return { kind: 'string', param, match: modifier === 'contains' ? 'contains' : 'prefix', value: folded }
}

/**
 * Extracts every part of a name or address as a separate entry, so that a prefix finds each of them. One without any
 * text leaves an empty entry, which no search finds, except for :missing.
 */
export function extractString(
  parameter: Pick<SearchParameterRecord, 'code' | 'element'>,
  value: unknown,
  entries: IndexEntry[],
): void {
  const { code: param } = parameter
  const start = entries.length
  if (typeof value === 'string') addString(param, value, entries)
  else if (isObject(value)) {
    for (const part of TEXT_PARTS) addParts(param, value[part], entries)
    if (entries.length === start) addString(param, '', entries)
  }
  if (hasParts(parameter)) addLaterWords(param, entries, start)
}

/**
 * Adds the remainders of the strings from `start` on, from each of their later words, and the strings without
 * apostrophes and hyphens, except those that are strings themselves.
 */
function addLaterWords(param: string, entries: IndexEntry[], start: number): void {
  const added = entries.slice(start).filter((entry) => entry.kind === 'string')
  if (!added.some(({ folded }) => folded.includes(' '))) return
  const whole = new Set(added.map(({ folded }) => folded))
  const more = added.flatMap(({ exact }) => joined(exact) ?? [])
  for (const text of [...more.map((one) => cut(one)), ...[...whole, ...more].flatMap(fromLaterWords)]) {
    if (!whole.has(text)) entries.push({ kind: 'string', param: laterWords(param), folded: text, exact: '' })
  }
}

/** `carreno quinones lopez`: `quinones lopez`, `lopez`. */
function fromLaterWords(folded: string): readonly string[] {
  const found: string[] = []
  for (let at = folded.indexOf(' '); at >= 0 && found.length < MAX_LATER_WORDS; at = folded.indexOf(' ', at + 1)) {
    found.push(cut(folded.slice(at + 1, at + 1 + MAX_LATER_LENGTH)))
  }
  return found
}

/** Cut so as not to end in half a character. */
const cut = (folded: string): string => folded.slice(0, MAX_LATER_LENGTH).toWellFormed().trimEnd()

function addParts(param: string, part: unknown, entries: IndexEntry[]): void {
  if (part === undefined) return
  if (Array.isArray(part)) for (const item of part) addParts(param, item, entries)
  else if (typeof part === 'string') addString(param, part, entries)
}

export function addString(param: string, text: string, entries: IndexEntry[]): void {
  entries.push({ kind: 'string', param, folded: fold(text), exact: composed(text) })
}

/**
 * Extracts one entry with the sounds of all words of all values; an empty one, for :missing, where no word has a sound.
 */
export function extractPhonetic(param: string, value: unknown, entries: IndexEntry[]): void {
  const texts: IndexEntry[] = []
  extractString({ code: param }, value, texts)
  if (texts.length === 0) return
  const sounds = texts.flatMap((entry) =>
    entry.kind === 'string' ? wordsOf(entry.folded).flatMap(distinctSounds) : [],
  )
  const last = entries.at(-1)
  const isMore = last?.kind === 'words' && last.param === param
  if (isMore) entries.pop()
  const all = new Set([...(isMore ? wordsOf(last.words) : []), ...sounds])
  entries.push({ kind: 'words', param, words: [...all].join(' ') })
}

/** A condition that every word sounds like one of the name's, in any order. */
export function parsePhonetic(param: string, text: string, context: ValueContext): Condition {
  const value = unescaped(text)
  const words = wordsOf(fold(value)).map(distinctSounds)
  if (words.length === 0 || words.some((sounds) => sounds.length === 0))
    throw malformed(context, value, 'has a word without a letter that sounds; write a name, e.g. Smyth')
  return allOf(words.map((sounds) => anyOf(sounds.map((sound) => soundsLike(param, sound)))))
}

const soundsLike = (param: string, value: string): Condition => ({ kind: 'words', param, match: 'equal', value })

const allOf = (of: readonly Condition[]): Condition => (of.length === 1 && of[0] ? of[0] : { kind: 'all', of })
const anyOf = (of: readonly Condition[]): Condition => (of.length === 1 && of[0] ? of[0] : { kind: 'any', of })

const wordsOf = (folded: string): readonly string[] => folded.split(' ').filter((word) => word !== '')

/** The phonetic codes of a word. */
function distinctSounds(word: string): readonly string[] {
  const [primary, secondary] = soundsOf(word)
  return (secondary === primary ? [primary] : [primary, secondary]).filter((sound) => sound !== '')
}
