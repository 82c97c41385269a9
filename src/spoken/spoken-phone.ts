/**
 * Phone numbers as callers say or type them, in normal form. The result is a question if the text contains anything
 * besides digits and the usual phrases, or can be read as more than one number.
 */
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js'
import { parsePhone, withoutTrunkZero } from '../matching/phones.ts'
import { DIGITS, ohForO, otherGroupings, repeatDoubled, rowReadings } from './numbers.ts'
import { bareValue, type ParsedValue, plainNumber, tooLong, unclear, understood } from './spoken.ts'

/** Number of digits without formatting (spec.md section 8). */
const MIN_DIGITS = 7
const MAX_DIGITS = 15

/** Words between the digits that carry no meaning. */
const SEPARATORS = new Set(
  `uh um er and then dash hyphen minus dot point period comma space slash bracket brackets parenthesis parentheses open
  close`.split(/\s+/),
)

/**
 * "five five five, oh one double two", "plus one 555…", "(020) 7946-0958 ext. 12".
 * @param region ISO 3166 code of the clinic's country, e.g. US: decides which national numbers are possible
 * @returns E.164 if the number is possible there or states its country itself, else the digits as given
 */
export function spokenPhone(text: string, region: string | undefined): ParsedValue {
  if (tooLong(text)) return unclear('That is too long for a phone number; give nothing but its 7 to 15 digits')
  const said = bareValue(plainNumber(text).toLowerCase(), 'phone').replace(DECIMALS, '')
  const number = EXTENSION.exec(said)?.[1] ?? said
  if (TWO_NUMBERS.test(number)) return unclear('Those are two phone numbers; give one of them, 7 to 15 digits')
  const read = readingsOf(number).map((digits) => checked(digits))
  const values = new Set(read.flatMap((one) => (one.ok ? [normalForm(one.value, region)] : [])))
  const [value, ...others] = values
  if (value === undefined) return read[0] ?? moreThanOne
  const isPossible = region === undefined || [...values].some(isInternational)
  if (!isPossible && (HESITATION.test(number) || goesOn(number, region))) return notCertain
  const [only, ...more] = others.length === 0 ? [value] : [...values].filter((one) => isComplete(one))
  const isCertain = only !== undefined && more.length === 0 && !isGroupedOtherwise(number, only, region)
  return isCertain ? understood(only) : moreThanOne
}

/**
 * "forty four twenty seven" is 44 27, or 40 4 20 7; "one hundred" may be the end of 0100. A reading is certain if it
 * is a valid number of its country and no other grouping gives a possible one.
 */
function isGroupedOtherwise(number: string, value: string, region: string | undefined): boolean {
  const others = readingsOf(number, otherGroupings).filter((digits) => checked(digits).ok)
  if (others.length === 0 && !SCALE.test(number)) return false
  if (parsePhone(value, countryOf(region))?.isValid() !== true) return true
  return others.map((digits) => normalForm(digits, region)).some((other) => other !== value && isPossible(other))
}

const SCALE = /(?<!\p{L})(?:hundred|thousand)(?!\p{L})/u

const isPossible = (number: string): boolean => isComplete(number) && e164(number) !== undefined

const moreThanOne = unclear('The phone number can be read in more than one way; give it digit by digit')

const notCertain = unclear(
  'It is not certain where the phone number ends; give it again, with "extension" before an extension and "plus" before a country code',
)

/** Decimals added by programs that store the number as a float. */
const DECIMALS = /(?<=^\+?\d{7,15})\.0+$/

/** A hesitation that may be a misheard "oh". */
const HESITATION = /(?<![\p{L}\p{N}])(?:uh|um)(?![\p{L}\p{N}])(?!$)/u

/**
 * True if a complete number is followed by more: an extension, a correction, a second number. A typed number, with
 * only spaces, dashes, dots and brackets, is taken as it is.
 */
function goesOn(number: string, region: string): boolean {
  if (!/[\p{L},;/]/u.test(number)) return false
  const words = number.split(/(?<=[,;/])|\s+/)
  return words.some((_word, at) =>
    readingsOf(words.slice(0, at).join(' ')).some(
      (digits) => checked(digits).ok && isInternational(normalForm(digits, region)),
    ),
  )
}

const isInternational = (number: string): boolean => number.startsWith('+')

function checked(number: string): ParsedValue {
  if (number === '') return unclear('The phone number is missing; give 7 to 15 digits, for example +1 555 010 0123')
  if (/\p{L}/u.test(number))
    return unclear('The phone number contains letters; give it in digits only, 7 to 15 of them')
  if (!/^\+?\d*$/.test(number))
    return unclear('The phone number contains signs that do not belong there; give 7 to 15 digits')
  const count = number.replace('+', '').length
  return count < MIN_DIGITS || count > MAX_DIGITS
    ? unclear(`The phone number has ${count} digits; it must have ${MIN_DIGITS} to ${MAX_DIGITS}`)
    : understood(number)
}

/** Each reading has its digits, after a + if there is one; any other text remains, for the check to find. */
function readingsOf(
  text: string,
  groupings: (words: readonly string[]) => readonly (readonly string[])[] = (words) => [words],
): readonly string[] {
  const words = withoutAreaCode(text.replace(/^tel:/, ''))
    .replace(/(?<=[a-z])-|-(?=[a-z])|[,;]|[.:!?]+(?=\s|$)/g, ' ')
    .split(/\s+/)
    .map((word) => (/[a-z]/.test(word) ? word.replace(/^\(+|\)+$/g, '') : word))
  const said = repeatDoubled(withCountryCode(words).map(ohForO))
  const digits = said.filter((word) => word !== '' && !SEPARATORS.has(word))
  return withLeadingOh(digits)
    .flatMap(groupings)
    .flatMap((one) => rowReadings(one).map(formatted))
}

/** "oh" before a number is a zero or an interjection. */
const withLeadingOh = (words: readonly string[]): readonly (readonly string[])[] =>
  words[0] === 'oh' && DIGITS.has(words[1] ?? '') ? [words, words.slice(1)] : [words]

const formatted = (words: readonly string[]): string =>
  withoutTrunkZero(words.map((word) => (word === 'plus' ? '+' : word)).join('')).replace(/[-.()[\]/\s]/g, '')

/** "area code two one two, and the number is five five five …" */
const withoutAreaCode = (text: string): string => {
  const rest = text.replace(/^((?:\+?1|(?:plus )?one)[\s,-]+)?area code(?: is)?[:,]?\s+/, '$1')
  return rest === text
    ? text
    : rest.replace(/^((?:\S+\s+){1,3}?)(?:and |then )?(?:the |my )?(?:phone )?number(?: is)?[:,]?\s/, '$1')
}

/** Turns "country code four four" into a number with a plus. */
const withCountryCode = (words: readonly string[]): readonly string[] => {
  const [first, second, third, ...others] = words.filter((word) => word !== '')
  if (first !== 'country' || second !== 'code') return words
  const rest = [third ?? '', ...others].filter((word, at) => !(at === 0 && (word === 'is' || word === 'plus')))
  return (rest[0] ?? '').startsWith('+') ? rest : ['plus', ...rest]
}

/** An extension after the number: ;ext=12, x12, ext. 12, extension one two, #12. */
const EXTENSION =
  /^(.*?[\p{L}\d)])\s*[,;]?\s*(?:;ext=|\bextension\b|\bextn?\b\.?|(?<=[\d\s)])x(?=[\s.:]*\d)|#)(?:[\s.:-]*(?:number|is|double|triple|\d{1,6}|oh?|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)(?![\p{L}\d])){1,8}[.!?]*$/u

/** Two numbers, as in 555-0123, 555-0124: together they would be the digits of one. */
const TWO_NUMBERS = /^(?![+0]).*?(?<!\d)\d{3}[-. ]?\d{4}[\s,;/]+(?:and |then )?(?:\d{3}[-. ])?\d{3}[-. ]?\d{4}(?!\d)/

/** True for an international number whose national part has the form required by its country. */
const isComplete = (number: string): boolean =>
  number.startsWith('+1') ? /^\+1[2-9]\d{2}[2-9]\d{6}$/.test(number) : number.startsWith('+')

/** Never invents a country: a number that is not possible in the region keeps its digits. */
function normalForm(number: string, region: string | undefined): string {
  const country = countryOf(region)
  if (number.startsWith('+')) return e164(number) ?? number
  if (/^00[1-9]/.test(number)) return e164(`+${number.slice(2)}`) ?? `+${number.slice(2)}`
  const national = e164(number, country)
  // No country code begins with a zero.
  if (national !== undefined || !/^011[1-9]/.test(number)) return national ?? number
  return e164(`+${number.slice(3)}`) ?? `+${number.slice(3)}`
}

const countryOf = (region: string | undefined): CountryCode | undefined =>
  region !== undefined && isSupportedCountry(region) ? region : undefined

function e164(number: string, country?: CountryCode): string | undefined {
  const parsed = parsePhone(number, country)
  return parsed?.isPossible() && !NO_AREA.test(parsed.number) ? parsed.number : undefined
}

/** Possible by length only: no area code of North America begins with these digits. */
const NO_AREA = /^\+1[01]/
