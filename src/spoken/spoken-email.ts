/**
 * E-mail addresses as callers say or spell them, in normal form. Each word must belong to the address or to the phrases
 * around it; otherwise the result is a question, as no address may be stored that was not said.
 */
import { bareValue, hasSecondThoughts } from './around-value.ts'
import { domainLabel, isNumber, isTopLevel, localStretch, type Stretch } from './email-words.ts'
import { withDoubleU, withoutExamples } from './spelling.ts'
import { type ParsedValue, plain, tooLong, unclear, understood } from './spoken.ts'

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
