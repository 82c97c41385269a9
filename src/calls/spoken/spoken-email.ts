/** An e-mail address as callers say or spell it, in normal form. */
import isEmail from 'validator/lib/isEmail.js'
import { DIGITS, repeatDoubled, TEENS, TENS, wordsToDigits } from './numbers.ts'
import { natoLetter, withDoubleU, withoutExamples } from './spelling.ts'
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
  const address = asTyped(given) ?? asSpoken(given)
  const [local = '', domain, ...more] = address.split('@')
  if (domain === undefined) return unclear(`The e-mail address has no "at"; give it in full, ${EXAMPLE}`)
  if (more.length > 0) return unclear(`The e-mail address has more than one "at"; give it again, ${EXAMPLE}`)
  const value = `${local}@${domain.toLowerCase()}`
  return isEmail(value) ? understood(value) : unclear(`That is not a valid e-mail address; give it in full, ${EXAMPLE}`)
}

/** The address when it was typed as one; a sentence's last dot is cut off. */
function asTyped(text: string): string | undefined {
  const address = text
    .replace(/^mailto:/i, '')
    .replace(/^<(.*)>$/, '$1')
    .replace(/[.,;!?]+$/, '')
  return /^[^\s@]+@[^\s@]+$/.test(address) ? address : undefined
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
    dotcom: '.com',
  }),
)

/** Said around an address or about its spelling, and not part of it. */
const ASIDES = [
  /^(?:(?:uh|um|er|so|well|okay|ok|yes|yeah|sure)[,.]?\s+)+/,
  /^(?:(?:my|the)\s+)?(?:e-?mail(?:\s+address)?|address)\s*(?:is|:)\s+/,
  /^(?:it's|it is|that's|that is|that would be)\s+/,
  /\b(?:(?:all|in)\s+)*(?:lower\s?case|upper\s?case|capitals?|one word|no spaces?)\b,?/g,
  /[\s,.]+(?:please|thanks|thank you)[.!]?$/,
]

function asSpoken(text: string): string {
  const address = ASIDES.reduce((rest, aside) => rest.replace(aside, ' ').trim(), text.toLowerCase())
  const words = withDoubleU(address)
    .replace(/\b(?:at sign|at symbol)\b/g, 'at')
    .replace(/\bunder score\b/g, 'underscore')
    .replace(/\bfull stop\b/g, 'dot')
    .replace(/\b(dot|plus|minus|hyphen|dash|underscore) (?:sign|symbol)\b/g, '$1')
    .replace(/@/g, ' @ ')
    .split(/[\s,]+/)
    .flatMap(cleanWord)
  return segments(
    withoutExamples(
      words.filter((word) => word !== ''),
      (word) => SIGNS.has(word),
    ),
  )
}

/**
 * Without the sentence's punctuation; letters spelled with hyphens (d-o-e) and numbers (ninety-nine) as their parts.
 */
function cleanWord(word: string): string[] {
  const bare = word.length > 1 ? word.replace(/[.;:!?]+$/, '').replace(/^["'(<]+|["')>]+$/g, '') : word
  const parts = bare.split('-')
  return /^[a-z\d](?:-[a-z\d]){2,}$/.test(bare) || parts.every(isNumber) ? parts : [bare]
}

/** Joins what stands between the signs (@ . _ - +), each stretch read by itself. */
function segments(words: readonly string[]): string {
  const ats = words.filter((word) => word === '@').length
  const signs = new Map(SIGNS)
  // Where the sign itself is there, "at" is a word of the address.
  if (ats > 0) signs.delete('at')
  let address = ''
  let stretch: string[] = []
  for (const word of [...words, '']) {
    const sign = signs.get(word) ?? (/^[@._+'-]$/.test(word) ? word : undefined)
    if (sign === undefined && word !== '') {
      stretch.push(word)
      continue
    }
    address += (address.includes('@') ? domainStretch(stretch) : read(stretch)) + (sign ?? '')
    stretch = []
  }
  return address
}

/** "co uk" said without the dot between. */
const domainStretch = (words: readonly string[]): string =>
  words.length === 2 && /^(?:com?|org|net|ac)$/.test(words[0] ?? '') && /^[a-z]{2}$/.test(words[1] ?? '')
    ? words.join('.')
    : read(words)

/**
 * Mike and Victor are names as well: NATO words are letters only in a stretch of three and more that are all spelled.
 */
function read(words: readonly string[]): string {
  const spelled = words.length >= 3 && words.every((word) => natoLetter(word) !== undefined || isCharacter(word))
  const letters = spelled ? words.map((word) => natoLetter(word) ?? word) : words
  const doubled = repeatDoubled(letters)
  return wordsToDigits(
    doubled.map((word, at) => ohAt(doubled, word, at)),
    'sum',
  ).join('')
}

const isCharacter = (word: string): boolean =>
  word.length === 1 || isNumber(word) || /^(?:double|triple|treble)$/.test(word)

const isNumber = (word: string): boolean =>
  /^\d+$/.test(word) || (word !== 'oh' && (DIGITS.has(word) || TEENS.has(word) || TENS.has(word)))

/** "oh" beside a number is a zero, elsewhere the letter. */
function ohAt(words: readonly string[], word: string, at: number): string {
  if (word !== 'oh') return word
  const beside = (index: number, step: number): boolean =>
    words[index] === 'oh' ? beside(index + step, step) : isNumber(words[index] ?? '')
  return beside(at - 1, -1) || beside(at + 1, 1) ? 'zero' : 'o'
}
