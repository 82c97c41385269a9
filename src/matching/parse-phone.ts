/** Phone numbers read by libphonenumber, once each: a call states its numbers with every request. */
import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'

/** Reading a number takes as long as several reads of the store; more than these are forgotten together. */
const MAX_CACHED_NUMBERS = 5_000

const cache = new Map<string, PhoneNumber | undefined>()

/**
 * @param country in which a number without a country code is read
 * @returns undefined for what is no phone number
 */
export function parsePhone(number: string, country?: CountryCode): PhoneNumber | undefined {
  const key = `${country ?? ''} ${number}`
  const known = cache.get(key)
  if (known !== undefined || cache.has(key)) return known
  if (cache.size >= MAX_CACHED_NUMBERS) cache.clear()
  const parsed = parsePhoneNumberFromString(number, country)
  cache.set(key, parsed)
  return parsed
}
