/** Parses phone numbers by libphonenumber, with a cache, as every request of a call repeats its numbers. */
import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'
import { LRUCache } from 'lru-cache'
import { spend } from '../isolation/budget.ts'

/** Parsing a number takes as long as several reads of the store. */
const MAX_CACHED_NUMBERS = 5_000
/** Characters; the library reads no longer ones either. */
const MAX_LENGTH = 250
/** Steps to parse a number. */
const PARSED = 20

const cache = new LRUCache<string, { readonly parsed: PhoneNumber | undefined }>({ max: MAX_CACHED_NUMBERS })

/**
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
