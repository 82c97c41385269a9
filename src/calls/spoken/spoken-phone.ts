/** A phone number as callers say or type it, in normal form. */
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js'
import { parsePhone } from '../../matching/parse-phone.ts'
import { withoutTrunkZero } from '../../matching/phones.ts'
import { ohForO, repeatDoubled, wordsToDigits } from './numbers.ts'
import { type ParsedValue, plain, tooLong, unclear, understood } from './spoken.ts'

/** Digits, after formatting is stripped (spec.md section 8). */
const MIN_DIGITS = 7
const MAX_DIGITS = 15

/** Said around the digits, without meaning for them. */
const FILLERS = new Set(
  `uh um er so well yes okay ok my the a number phone telephone mobile cell is it it's its that that's and then
  area code country dash hyphen minus dot point period comma space slash bracket brackets parenthesis open close`.split(
    /\s+/,
  ),
)

/**
 * "five five five, oh one double two", "plus one 555…", "(020) 7946-0958 ext. 12".
 * @param region ISO 3166 code of the clinic's country, e.g. US: decides which national numbers are possible
 * @returns E.164 when the number is possible there or names its country itself, else the digits as given
 */
export function spokenPhone(text: string, region: string | undefined): ParsedValue {
  if (tooLong(text)) return unclear('That is too long for a phone number; give nothing but its 7 to 15 digits')
  const number = withoutFormatting(text)
  if (number === '') return unclear('The phone number is missing; give 7 to 15 digits, for example +1 555 010 0123')
  if (/\p{L}/u.test(number))
    return unclear('The phone number contains letters; give it in digits only, 7 to 15 of them')
  if (!/^\+?\d*$/.test(number))
    return unclear('The phone number contains signs that do not belong there; give 7 to 15 digits')
  const count = number.replace('+', '').length
  if (count < MIN_DIGITS || count > MAX_DIGITS) {
    return unclear(`The phone number has ${count} digits; it must have ${MIN_DIGITS} to ${MAX_DIGITS}`)
  }
  return understood(normalForm(number, region))
}

/** The digits, after a + where there is one; anything else that the text holds is left in, for the checks to find. */
function withoutFormatting(text: string): string {
  const number = plain(text).toLowerCase().replace(/^tel:/, '').replace(EXTENSION, '$1')
  const words = number.replace(/(?<=[a-z])-|-(?=[a-z])|[,;]|[.:!?]+(?=\s|$)/g, ' ').split(/\s+/)
  const said = words.filter((word) => word !== '' && !FILLERS.has(word))
  const digits = wordsToDigits(repeatDoubled(said.map(ohForO)), 'row')
  return withoutTrunkZero(digits.map((word) => (word === 'plus' ? '+' : word)).join('')).replace(/[-.()[\]/\s]/g, '')
}

/** The extension after the number itself: ;ext=12, x12, ext. 12, extension one two, #12. */
const EXTENSION = /^(.*?[\p{L}\d)])\s*[,;]?\s*(?:;ext=|\bextension\b|\bextn?\b\.?|(?<=[\d\s)])x(?=[\s.:]*\d)|#).*$/u

/** Never invents a country: a number that is not possible in the region keeps the digits it came with. */
function normalForm(number: string, region: string | undefined): string {
  const country = region !== undefined && isSupportedCountry(region) ? region : undefined
  if (number.startsWith('+')) return e164(number) ?? number
  if (number.startsWith('00')) return e164(`+${number.slice(2)}`) ?? `+${number.slice(2)}`
  const national = e164(number, country)
  if (national !== undefined || !number.startsWith('011')) return national ?? number
  return e164(`+${number.slice(3)}`) ?? `+${number.slice(3)}`
}

function e164(number: string, country?: CountryCode): string | undefined {
  const parsed = parsePhone(number, country)
  return parsed?.isPossible() ? parsed.number : undefined
}
