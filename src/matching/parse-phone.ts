/** Phone numbers read by libphonenumber, once each: a call states its numbers with every request. */
import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'

/** Reading a number takes as long as several reads of the store; more than these are forgotten together. */
const MOST_REMEMBERED = 5_000

const remembered = new Map<string, PhoneNumber | undefined>()

/**
 * @param country in which a number without a country code is read
 * @returns undefined for what is no phone number
 */
export function parsePhone(number: string, country?: CountryCode): PhoneNumber | undefined {
  const key = `${country ?? ''} ${number}`
  const known = remembered.get(key)
  if (known !== undefined || remembered.has(key)) return known
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  const parsed = parsePhoneNumberFromString(number, country)
  remembered.set(key, parsed)
  return parsed
}
