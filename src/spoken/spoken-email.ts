/**
 * E-mail addresses as callers say or spell them, in normal form. Each word must belong to the address or to the phrases
 * around it; otherwise the result is a question, as no address may be stored that was not said.
 */
import { isSupportedCountry } from 'libphonenumber-js'
import { DIGITS, mayGroupOtherwise, repeatDoubled, TEENS, TENS, wordsToDigits } from './numbers.ts'
import { natoLetter, withDoubleU, withoutExamples } from './spelling.ts'
import { bareValue, hasSecondThoughts, type ParsedValue, plain, tooLong, unclear, understood } from './spoken.ts'

/** The text of a sequence of words; a question if it is uncertain. */
export type Stretch = { readonly text: string } | { readonly question: string }

const WHICH_WORDS =
  'It is not certain which words belong to the address; is it one word, or is there a dot, a dash or an underscore between? Spell it, or say "one word"'
const FIGURE = 'It is not certain whether a number is meant in figures or in letters; spell that part'
const OH = 'It is not certain whether the letter O or a zero is meant; say "zero" or "o as in oscar"'
const MARK = 'It is not certain how that part is written; spell it, with "dash" or "apostrophe" where there is one'
const SPELLING = 'A word and its spelling do not agree; spell that part alone'

const isDigits = (word: string): boolean => /^\d+$/.test(word)
const isNumber = (word: string): boolean =>
  isDigits(word) || (word !== 'oh' && (DIGITS.has(word) || TEENS.has(word) || TENS.has(word)))
const isLetter = (word: string): boolean => /^[a-z]$/.test(word)
const isScale = (word: string): boolean => word === 'hundred' || word === 'thousand'

/** Words of sentences, which no caller uses in an address without spelling them. */
const OF_SENTENCES = new Set(
  `is are am was were be been it its it's that that's this there here i'm im you your you're me my mine we us our they
  them he she him her his to too for from with without of on in by as at and the an if then than when where who what
  which how why because so um uh er yes yeah yep no not send sent reach reached find found look available located based
  email e-mail mail address at's contact write call spelled spelt spell spelling like some any every no each okay ok
  please thanks thank hi hello hey has have had do does did can could will would should just all one's another`.split(
    /\s+/,
  ),
)

/** NATO words that are also given names. */
const NATO_NAMES = new Set(['charlie', 'juliet', 'juliett', 'mike', 'oscar', 'romeo', 'victor', 'papa', 'sierra'])

/** Reads three or more NATO words as letters, unless all may be names. */
function spelledOut(words: readonly string[]): readonly string[] {
  const isSpelled = words.every(
    (word) =>
      natoLetter(word) !== undefined || word.length === 1 || isNumber(word) || /^(?:double|triple|treble)$/.test(word),
  )
  const isCertain = words.length >= 3 && isSpelled && !words.every((word) => NATO_NAMES.has(word))
  return isCertain ? words.map((word) => natoLetter(word) ?? word) : words
}

/** "and" belongs to the number in "two thousand and one". */
const withoutAnd = (words: readonly string[]): readonly string[] =>
  words.filter((word, at) => !(word === 'and' && isScale(words[at - 1] ?? '') && isNumber(words[at + 1] ?? '')))

/** "oh" beside a number is a zero, elsewhere the letter. */
function ohAt(words: readonly string[], at: number): string {
  const beside = (index: number, step: number): boolean =>
    words[index] === 'oh' ? beside(index + step, step) : isNumber(words[index] ?? '')
  return beside(at - 1, -1) || beside(at + 1, 1) ? 'zero' : 'o'
}

const isOBesideNumber = (words: readonly string[]): boolean =>
  words.some((word, at) => word === 'o' && (isNumber(words[at - 1] ?? '') || isNumber(words[at + 1] ?? '')))

/**
 * Reads the words between two signs, before or after the "at".
 * @param joined the caller said that it is one word
 */
function localStretch(words: readonly string[], joined: boolean): Stretch {
  const said = repeatDoubled(spelledOut(withoutAnd(words)))
  if (isOBesideNumber(said)) return { question: OH }
  const heard = said.map((word, at) => (word === 'oh' ? ohAt(said, at) : word))
  const numbers = numbersRead(heard)
  if (numbers === undefined) return { question: FIGURE }
  const plain = numbers.filter((word) => !isLetter(word) && !isDigits(word))
  // A lone "one" is also a word: jane@one.com.
  if (heard.length === 1 && numbers[0] !== heard[0]) return { question: FIGURE }
  if (plain.length === 0) return { text: numbers.join('') }
  return withWords(numbers, plain, joined, heard)
}

function withWords(
  parts: readonly string[],
  plain: readonly string[],
  joined: boolean,
  heard: readonly string[],
): Stretch {
  if (plain.some((word) => OF_SENTENCES.has(word))) return { question: WHICH_WORDS }
  if (plain.some((word) => !/^[a-z\d]+(?:[._+][a-z\d]+)*$/.test(word))) return { question: MARK }
  if (plain.length > 1)
    return joined && plain.length <= MOST_JOINED && plain.length === parts.length
      ? { text: parts.join('') }
      : { question: WHICH_WORDS }
  const at = parts.indexOf(plain[0] ?? '')
  const [word = ''] = plain
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)]
  if (before.some(isDigits) || (before.length === 1 && MAY_BE_A_WORD.has(before[0] ?? '')))
    return { question: WHICH_WORDS }
  // "jane, j a n e" and "capital j, jane" repeat one or more letters.
  if (word.startsWith(before.join('') || ' ')) return { question: SPELLING }
  if (isLoneNumberWord(heard, word)) return { question: FIGURE }
  return withLettersAfter(before, word, after)
}

/** "jane j a n e" spells the word; "john d" adds a letter. */
function withLettersAfter(before: readonly string[], word: string, after: readonly string[]): Stretch {
  const letters = after.filter(isLetter)
  if (letters.length === 0) return { text: [...before, word, ...after].join('') }
  const isSpelled = letters.length === after.length && letters.join('') === word
  if (isSpelled && before.length === 0) return { text: word }
  const isInitial = letters.length === 1 && after[0] === letters[0] && !MAY_BE_A_WORD.has(letters[0] ?? '')
  return isInitial ? { text: [...before, word, ...after].join('') } : { question: SPELLING }
}

const MOST_JOINED = 3

/** Letters that are words, or sound like common ones. */
const MAY_BE_A_WORD = new Set(['a', 'e', 'i', 'o', 'u', 'y'])

/** "lucky seven" may be luckyseven. */
const isLoneNumberWord = (heard: readonly string[], word: string): boolean => {
  const others = heard.filter((one) => one !== word)
  return others.length === 1 && (DIGITS.has(others[0] ?? '') || others[0] === 'ten')
}

/** Replaces number words by figures; undefined if that is ambiguous. */
function numbersRead(words: readonly string[]): readonly string[] | undefined {
  if (mayGroupOtherwise(words)) return undefined
  const read = wordsToDigits(words)
  const hasScale = words.some(isScale)
  return hasScale && (read.some(isScale) || read.filter(isDigits).length > 1) ? undefined : read
}

/** Provider names that speech recognition divides into several words. */
const PROVIDERS = new Set(
  'gmail googlemail hotmail outlook icloud yahoo ymail aol protonmail comcast verizon bellsouth sbcglobal fastmail earthlink facebook btinternet'.split(
    ' ',
  ),
)

/** Reads a label of the domain. */
function domainLabel(words: readonly string[], joined: boolean): Stretch {
  const together = words.join('')
  // A single word between two signs stands for itself.
  if (
    PROVIDERS.has(together) ||
    /^[a-z]{2,}$/.test(words.length === 1 && !isNumber(together) && together !== 'oh' ? together : '')
  )
    return { text: together }
  const stretch = localStretch(words, joined)
  if ('question' in stretch) return stretch
  const spelled = spelledOut(words)
  const hasNumber = spelled.some(isNumber)
  const isSpelled = repeatDoubled(spelled).every((word) => word.length === 1 || isDigits(word) || DIGITS.has(word))
  return hasNumber && !isSpelled && words.length > 1 ? { question: FIGURE } : stretch
}

const ENDINGS = new Set(
  `com org net edu gov mil int info biz name pro io co me us uk eu tv cc dev app online site shop store clinic health care
  doctor dental hospital email cloud tech agency company family life live love news one world xyz museum coop jobs mobi
  travel aero cat asia tel post example test invalid`.split(/\s+/),
)

/** Whether callers mean it as a top-level domain: "con" and "comma" are errors of speech recognition. */
const isTopLevel = (label: string): boolean => ENDINGS.has(label) || isSupportedCountry(label.toUpperCase())

const EXAMPLE = 'for example jane.doe@example.com or "jane dot doe at example dot com"'

/**
 * "john dot doe at gmail dot com", "j o h n underscore doe at example dot co dot uk", "A as in apple", NATO letters.
 * A typed address keeps the case of its local part; a spoken one is lower case, and the domain always is.
 */
export function spokenEmail(text: string): ParsedValue {
  if (tooLong(text)) return unclear(`That is too long for an e-mail address; give nothing but the address, ${EXAMPLE}`)
  const given = plain(text)
  if (given === '') return unclear(`The e-mail address is missing; give it in full, ${EXAMPLE}`)
  const address = typedAddress(given)
  return address === undefined ? spokenAddress(given.toLowerCase()) : checked(address)
}

const checked = (address: string): ParsedValue => {
  const at = address.lastIndexOf('@')
  if (address.indexOf('@') !== at) return unclear(MORE_THAN_ONE)
  const value = `${address.slice(0, at)}@${address.slice(at + 1).toLowerCase()}`
  return ADDRESS.test(value) ? understood(value) : unclear(NOT_VALID)
}

/** Letters of any alphabet below the surrogates. */
const OTHER_LETTERS = String.raw`\u00a1-\ud7ff`
const ATOM = String.raw`[\w!#$%&'*+/=?^\x60{|}~${OTHER_LETTERS}-]+`
const LABEL = String.raw`(?!-)[a-z\d${OTHER_LETTERS}-]{1,63}(?<!-)`
const TOP_LEVEL = String.raw`(?:[a-z${OTHER_LETTERS}]{2,63}|xn--[a-z\d-]{1,59})`
/**
 * A mailbox as in https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2, at a domain with a top level: nobody says a quoted
 * name or the number of a host.
 */
const ADDRESS = new RegExp(
  String.raw`^(?=.{1,64}@)${ATOM}(?:\.${ATOM})*@(?=.{1,254}$)(?:${LABEL}\.)+${TOP_LEVEL}$`,
  'i',
)

const NOT_VALID = `That is not a valid e-mail address; give it in full, ${EXAMPLE}`
const MORE_THAN_ONE = `The e-mail address has more than one "at"; give it again, ${EXAMPLE}`

/** The address if it was typed, with nothing around it but fillers; without the final dot of a sentence. */
function typedAddress(text: string): string | undefined {
  const inBrackets = /^[^<>@]*<([^\s<>@]+@[^\s<>@]+)>$/.exec(text)?.[1]
  const address = (inBrackets ?? bareValue(text, 'email')).replace(/^mailto:/i, '').replace(/[.,;!?]+$/, '')
  return /^[^\s@]+@[^\s]+$/.test(address) ? address : undefined
}

const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    at: '@',
    dot: '.',
    point: '.',
    period: '.',
    underscore: '_',
    dash: '-',
    hyphen: '-',
    minus: '-',
    plus: '+',
    apostrophe: "'",
  }),
)

const ONE_WORD = /(?:\b(?:all|in|as)\s+)*\b(?:one word|no spaces?|without (?:a )?spaces?|all together)\b,?/g
const CASE =
  /(?:\b(?:all|in)\s+)*\b(?:lower\s?case|upper\s?case|(?:all|in) cap(?:ital)?s|in capital letters)\b,?|\bcapital(?= [a-z]\b)/g

interface Part {
  /** The sign before the words; '' at the beginning. */
  readonly sign: string
  readonly words: readonly string[]
}

function spokenAddress(text: string): ParsedValue {
  const joined = text.search(ONE_WORD) >= 0
  const said = bareValue(text.replace(ONE_WORD, ' ').replace(CASE, ' ').trim().replace(/\s+/g, ' '), 'email')
  if (hasSecondThoughts(said)) return unclear(`It is not certain which address is meant; give it once more, ${EXAMPLE}`)
  const parts = partsOf(wordsOf(said))
  const ats = parts.filter(({ sign }) => sign === '@').length
  if (ats === 0) return unclear(`The e-mail address has no "at"; give it in full, ${EXAMPLE}`)
  if (ats > 1) return unclear(MORE_THAN_ONE)
  const at = parts.findIndex(({ sign }) => sign === '@')
  return joinedAddress(parts, at, joined)
}

function joinedAddress(parts: readonly Part[], at: number, joined: boolean): ParsedValue {
  const stretches = parts.map(({ words }, index): Stretch => {
    if (words.length === 0) return { text: '' }
    return index < at ? localStretch(words, joined) : domainLabel(words, joined)
  })
  const question = stretches.find((stretch) => 'question' in stretch)
  if (question !== undefined && 'question' in question) return unclear(`${question.question}, ${EXAMPLE}`)
  const texts = stretches.map((stretch) => ('text' in stretch ? stretch.text : ''))
  const address = parts.map(({ sign }, index) => `${sign}${texts[index]}`).join('')
  const [last] = /[^.]*$/.exec(address) ?? ['']
  if (texts.includes('') || last.includes('@')) return unclear(NOT_VALID)
  if (isTopLevel(last) && !SLIPS.test(address)) return checked(address)
  return unclear(`The end of the e-mail address is not certain; what comes after the last dot, ${EXAMPLE}?`)
}

/** "dot com, dot com", and "w w w" before an address as before the name of a website. */
const SLIPS = /(\.[a-z]+)\1$|(?:^|@)www\./

function wordsOf(text: string): readonly string[] {
  const words = withDoubleU(text)
    .replace(/\b(?:at sign|at symbol)\b/g, 'at')
    .replace(/\bunder score\b/g, 'underscore')
    .replace(/\bfull stop\b/g, 'dot')
    .replace(/\bdot\s?com\b/g, 'dot com')
    .replace(/\b(dot|plus|minus|hyphen|dash|underscore) (?:sign|symbol)\b/g, '$1')
    .replace(/(?<!\S)(?:uh|uhm|um|umm|er|erm)(?!\S)/g, ' ')
    .replace(/@/g, ' @ ')
    .split(/[\s,]+/)
    .flatMap(cleanWord)
  return withoutExamples(
    words.filter((word) => word !== ''),
    (word) => SIGNS.has(word),
  )
}

/** Removes the sentence's punctuation; splits letters spelled with hyphens (d-o-e) and numbers (ninety-nine). */
function cleanWord(word: string): string[] {
  const bare = word.length > 1 ? word.replace(/[.;:!?]+$/, '').replace(/^["'(<]+|["')>]+$/g, '') : word
  const parts = bare.split('-')
  return /^[a-z\d](?:-[a-z\d]){2,}$/.test(bare) || parts.every(isNumber) ? parts : [bare]
}

/** Splits at the signs (@ . _ - +). */
function partsOf(words: readonly string[]): readonly Part[] {
  // If "@" itself was written, "at" is a word.
  const isWritten = words.includes('@')
  const parts: { sign: string; words: string[] }[] = [{ sign: '', words: [] }]
  for (const word of words) {
    const sign =
      isWritten && word === 'at' ? undefined : (SIGNS.get(word) ?? (/^[@._+'-]$/.test(word) ? word : undefined))
    if (sign !== undefined) parts.push({ sign, words: [] })
    else if (/^\.[a-z]/.test(word)) parts.push({ sign: '.', words: [word.slice(1)] })
    else parts.at(-1)?.words.push(word)
  }
  return withCountries(parts)
}

/** Adds the dot missing from "co uk". */
const withCountries = (parts: readonly Part[]): readonly Part[] =>
  parts.flatMap((part, index) => {
    const [first = '', second = '', ...others] = part.words
    const isCountry = index === parts.length - 1 && others.length === 0 && /^[a-z]{2}$/.test(second)
    return part.sign === '.' && isCountry && /^(?:com?|org|net|ac)$/.test(first) && isTopLevel(second)
      ? [
          { sign: '.', words: [first] },
          { sign: '.', words: [second] },
        ]
      : [part]
  })
