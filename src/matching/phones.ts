/** Compares phone numbers with and without country code and formatting. */
import { isSupportedCountry } from 'libphonenumber-js'
import { parsePhone } from './parse-phone.ts'

/**
 * The spellings to search for: `+15550100123`, `15550100123` and `5550100123`, as search ignores formatting but not the
 * country code. A number without a country code has a single spelling.
 */
export function phoneSpellings(number: string): readonly string[] {
  const parsed = parsePhone(number)
  if (parsed === undefined) return [number]
  const forms = [number, number.slice(1), parsed.nationalNumber, parsed.formatNational()]
  return [...new Set(forms.map((form) => form.replace(/[^\d+]/g, '')))]
}

/** Digits that a national number needs to be compared with the end of an international one. */
const MIN_NATIONAL_DIGITS = 7
/** Digits that one of two numbers without country code needs to be compared with the end of the other. */
const MIN_SHARED_DIGITS = 9
/** Longest country code. */
const MAX_COUNTRY_CODE_DIGITS = 3

/**
 * Whether two texts are the same phone number. With country codes they must be equal; without, one must be the end of the
 * other, apart from a country code and a trunk zero.
 * @param region ISO 3166 code of the clinic's country, assumed for a number without country code when possible there
 */
export function samePhone(a: string, b: string, region?: string): boolean {
  const [one, other] = [comparable(a, region), comparable(b, region)]
  if (one === other) return one !== ''
  if (one.startsWith('+') && other.startsWith('+')) return false
  if (one.startsWith('+')) return isEndOf(other, one.slice(1), MIN_NATIONAL_DIGITS)
  if (other.startsWith('+')) return isEndOf(one, other.slice(1), MIN_NATIONAL_DIGITS)
  return isEndOf(one, other, MIN_SHARED_DIGITS) || isEndOf(other, one, MIN_SHARED_DIGITS)
}

/** E.164 when the country is known, else only digits. */
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
