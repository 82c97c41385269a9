/** Phone numbers in the ways records hold them: with and without country code, with and without formatting. */
import { isSupportedCountry } from 'libphonenumber-js'
import { parsePhone } from './parse-phone.ts'

/**
 * `+15550100123` -> that, `15550100123` and `5550100123`: formatting does not count in a search, the country code does.
 * A number that does not say its country has one spelling.
 */
export function phoneSpellings(number: string): readonly string[] {
  const parsed = parsePhone(number)
  if (parsed === undefined) return [number]
  const forms = [number, number.slice(1), parsed.nationalNumber, parsed.formatNational()]
  return [...new Set(forms.map((form) => form.replace(/[^\d+]/g, '')))]
}

/** Digits of a number without country code at least, so that the same end of two numbers says something. */
const MIN_NATIONAL_DIGITS = 7
/** Of two numbers without country code. */
const MIN_SHARED_DIGITS = 9
/** Digits of a country code at most. */
const MAX_COUNTRY_CODE_DIGITS = 3

/**
 * Are they one number? Two numbers with their country codes must be equal; one without is the end of the other, but for
 * a country code and its own trunk zero.
 * @param region ISO 3166 code of the clinic's country: a number that is possible there is one of there
 */
export function samePhone(a: string, b: string, region?: string): boolean {
  const [one, other] = [comparable(a, region), comparable(b, region)]
  if (one === other) return one !== ''
  if (one.startsWith('+') && other.startsWith('+')) return false
  if (one.startsWith('+')) return isEndOf(other, one.slice(1), MIN_NATIONAL_DIGITS)
  if (other.startsWith('+')) return isEndOf(one, other.slice(1), MIN_NATIONAL_DIGITS)
  return isEndOf(one, other, MIN_SHARED_DIGITS) || isEndOf(other, one, MIN_SHARED_DIGITS)
}

/** E.164 where it can be told, else digits. */
function comparable(number: string, region: string | undefined): string {
  const plain = number.replace(/[^\d+]/g, '')
  if (plain.startsWith('+') || region === undefined || !isSupportedCountry(region)) return plain
  const parsed = parsePhone(plain, region)
  return parsed?.isPossible() ? parsed.number : plain
}

function isEndOf(national: string, full: string, shortest: number): boolean {
  const end = national.replace(/^0+/, '')
  return end.length >= shortest && full.length - end.length <= MAX_COUNTRY_CODE_DIGITS && full.endsWith(end)
}
