/** Parses phone numbers by libphonenumber, with a cache, as every request of a call repeats its numbers. */
import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'
import { spend } from '../isolation/budget.ts'

/** Parsing a number takes as long as several reads of the store. When full, the cache is cleared. */
const MAX_CACHED_NUMBERS = 5_000
/** Characters; the library reads no longer ones either. */
const MAX_LENGTH = 250
/** Steps to parse a number. */
const PARSED = 20

const cache = new Map<string, PhoneNumber | undefined>()

/**
 * @param country the country assumed for a number without a country code
 * @returns undefined when it is not a phone number
 */
export function parsePhone(number: string, country?: CountryCode): PhoneNumber | undefined {
  if (number.length > MAX_LENGTH) return undefined
  const key = `${country ?? ''} ${number}`
  const cached = cache.get(key)
  if (cached !== undefined || cache.has(key)) return cached
  if (cache.size >= MAX_CACHED_NUMBERS) cache.clear()
  spend(PARSED, 'reading phone numbers')
  const parsed = parsePhoneNumberFromString(number, country)
  cache.set(key, parsed)
  return parsed
}
