/** Reads and compares phone numbers with and without country code and formatting. */
import { type CountryCode, isSupportedCountry, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'
import { LRUCache } from 'lru-cache'
import { upTo } from '../fhir/memoize.ts'
import { spend } from '../isolation/budget.ts'

/**
 * The spellings to search for: `+15550100123`, `15550100123` and `5550100123`, as search ignores formatting but not the
 * country code. `+442079460958` also yields `02079460958` and `+4402079460958`, which is what search makes of
 * `+44 (0)20 7946 0958`. A number without a country code has a single spelling.
 */
export function phoneSpellings(number: string): readonly string[] {
  const parsed = parsePhone(withoutTrunkZero(number))
  if (parsed === undefined) return [number]
  const { number: international, nationalNumber, countryCallingCode } = parsed
  const national = parsed.formatNational()
  const hasTrunkZero = /^\(?0/.test(national) && !nationalNumber.startsWith('0')
  const forms = [
    number,
    ...(hasTrunkZero ? [`+${countryCallingCode}0${nationalNumber}`] : []),
    international,
    international.slice(1),
    nationalNumber,
    national,
  ]
  return [...new Set(forms.map((form) => form.replace(/[^\d+]/g, '')))]
}

/** A country code followed by a zero in parentheses. */
const TRUNK_ZERO = /^(\(?(?:\+|00).*?)\(0\)(.*)$/s

/**
 * `+44 (0)20 7946 0958` -> `+44 20 7946 0958`: the trunk zero is dialled only within a country. People also write it
 * for countries with another trunk prefix (8 in Russia) or none (the USA), where no number begins with a zero. It is
 * kept when it is part of the number, as in `+39 (0)6 698 12345`: Italian landline numbers begin with a zero.
 */
export function withoutTrunkZero(number: string): string {
  const [, before, after] = TRUNK_ZERO.exec(number) ?? []
  if (before === undefined || after === undefined) return number
  const withZero = parsePhone(`${before}0${after}`.replace(/[^\d+]/g, '').replace(/^00/, '+'))
  const isPartOfNumber = withZero?.isValid() === true && withZero.nationalNumber.startsWith('0')
  return `${before}${isPartOfNumber ? '0' : ''}${after}`
}

/** Digits that a national number needs to be compared with the end of an international one. */
const MIN_NATIONAL_DIGITS = 7
/** Digits that one of two numbers without country code needs to be compared with the end of the other. */
const MIN_SHARED_DIGITS = 9
/** Longest country code. */
const MAX_COUNTRY_CODE_DIGITS = 3

/**
 * Whether two numbers, in the form of comparablePhone, are the same. With country codes they must be equal; without, one must be the end of
 * the other, apart from a country code and a trunk zero.
 */
export function samePhone(one: string, other: string): boolean {
  if (one === other) return one !== ''
  if (one.startsWith('+') && other.startsWith('+')) return false
  if (one.startsWith('+')) return isEndOf(other, one.slice(1), MIN_NATIONAL_DIGITS)
  if (other.startsWith('+')) return isEndOf(one, other.slice(1), MIN_NATIONAL_DIGITS)
  return isEndOf(one, other, MIN_SHARED_DIGITS) || isEndOf(other, one, MIN_SHARED_DIGITS)
}

/** `ext 12`, `extension 12`, `x12`, `;ext=12`, `#12`, after a number. */
const EXTENSION = /(?<=(?:\d\D*){7})(?:ext(?:n|ension)?|x|#)[^\p{L}\d]*\d{1,7}\D*$/iu

/** The digits of the extension after a number; '' where there is none. */
export const extensionOf = (number: string): string => EXTENSION.exec(number)?.[0].replace(/\D/g, '') ?? ''

/**
 * A number as it is compared: E.164 when the country is known, else only digits; without its extension, as one and the same
 * number is written with another or none.
 * @param region ISO 3166 code of the clinic's country, assumed for a number without country code when possible there
 */
export function comparablePhone(number: string, region: string | undefined): string {
  const plain = withoutTrunkZero(number.replace(EXTENSION, '')).replace(/[^\d+]/g, '')
  if (plain.startsWith('+') || region === undefined || !isSupportedCountry(region)) return plain
  const parsed = parsePhone(plain, region)
  return parsed?.isPossible() ? parsed.number : plain
}

function isEndOf(national: string, full: string, shortest: number): boolean {
  const end = national.replace(/^0+/, '')
  return end.length >= shortest && full.length - end.length <= MAX_COUNTRY_CODE_DIGITS && full.endsWith(end)
}

/** Parsing a number takes as long as several reads of the store. */
const MAX_CACHED_NUMBERS = 5_000
/** Characters; the library reads no longer ones either. */
const MAX_LENGTH = 250
/** Steps to parse a number. */
const PARSED = 20

const cache = new LRUCache<string, { readonly parsed: PhoneNumber | undefined }>(upTo(MAX_CACHED_NUMBERS))

/**
 * Parses by libphonenumber, with a cache, as every request of a call repeats its numbers.
 * @param country the country assumed for a number without a country code
 * @returns undefined when it is not a phone number
 */
export function parsePhone(number: string, country?: CountryCode): PhoneNumber | undefined {
  if (number.length > MAX_LENGTH) return undefined
  const key = `${country ?? ''} ${number}`
  const known = cache.get(key)
  if (known !== undefined) return known.parsed
  spend(PARSED, 'reading phone numbers')
  const parsed = parsePhoneNumberFromString(number, country)
  cache.set(key, { parsed })
  return parsed
}
