/** Phone numbers in the ways records hold them: with and without country code, with and without formatting. */
import { isSupportedCountry } from 'libphonenumber-js'
import { parsePhone } from './parse-phone.ts'

/**
 * `+15550100123` -> that, `15550100123` and `5550100123`: formatting does not count in a search, the country code does.
 * `+442079460958` also gives `02079460958` and `+4402079460958`, which is what remains of `+44 (0)20 7946 0958`.
 * A number that does not say its country has one spelling.
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

/** A country code, and a zero in brackets after it. */
const TRUNK_ZERO = /^(\(?(?:\+|00).*?)\(0\)(.*)$/s

/**
 * `+44 (0)20 7946 0958` -> `+44 20 7946 0958`: the zero is dialled within a country alone. People write it for countries
 * with another trunk prefix (8 in Russia) or none (the USA) as well, where no number begins with a zero either. It stays
 * where it belongs to the number, as in `+39 (0)6 698 12345`: in Italy, landlines begin with it.
 */
export function withoutTrunkZero(number: string): string {
  const [, before, after] = TRUNK_ZERO.exec(number) ?? []
  if (before === undefined || after === undefined) return number
  const withZero = parsePhone(`${before}0${after}`.replace(/[^\d+]/g, '').replace(/^00/, '+'))
  const belongs = withZero?.isValid() === true && withZero.nationalNumber.startsWith('0')
  return `${before}${belongs ? '0' : ''}${after}`
}

/** Digits of a number without country code at least, so that the same end of two numbers says something. */
const SHORTEST_NATIONAL = 7
/** Of two numbers without country code. */
const SHORTEST_ALIKE = 9
/** Digits of a country code at most. */
const COUNTRY_CODE = 3

/**
 * Are they one number? Two numbers with their country codes must be equal; one without is the end of the other, but for
 * a country code and its own trunk zero.
 * @param region ISO 3166 code of the clinic's country: a number that is possible there is one of there
 */
export function samePhone(a: string, b: string, region?: string): boolean {
  const [one, other] = [comparable(a, region), comparable(b, region)]
  if (one === other) return one !== ''
  if (one.startsWith('+') && other.startsWith('+')) return false
  if (one.startsWith('+')) return isEndOf(other, one.slice(1), SHORTEST_NATIONAL)
  if (other.startsWith('+')) return isEndOf(one, other.slice(1), SHORTEST_NATIONAL)
  return isEndOf(one, other, SHORTEST_ALIKE) || isEndOf(other, one, SHORTEST_ALIKE)
}

/** E.164 where it can be told, else digits. */
function comparable(number: string, region: string | undefined): string {
  const plain = withoutTrunkZero(number).replace(/[^\d+]/g, '')
  if (plain.startsWith('+') || region === undefined || !isSupportedCountry(region)) return plain
  const parsed = parsePhone(plain, region)
  return parsed?.isPossible() ? parsed.number : plain
}

function isEndOf(national: string, full: string, shortest: number): boolean {
  const end = national.replace(/^0+/, '')
  return end.length >= shortest && full.length - end.length <= COUNTRY_CODE && full.endsWith(end)
}
