/** The ways records hold one phone number. */
import { parsePhoneNumberFromString } from 'libphonenumber-js'

/**
 * `+15550100123` -> that, `15550100123` and `5550100123`: formatting does not count in a search, the country code does.
 * A number that does not say its country has one spelling.
 */
export function phoneSpellings(number: string): readonly string[] {
  const parsed = parsePhoneNumberFromString(number)
  if (parsed === undefined) return [number]
  const forms = [number, number.slice(1), parsed.nationalNumber, parsed.formatNational()]
  return [...new Set(forms.map((form) => form.replace(/[^\d+]/g, '')))]
}
