/**
 * Telephone numbers with and without their country code: `+1 212 555 0123`, `212-555-0123` and `1 212 555 0123` find
 * each other, as R4 leaves the comparison of numbers to the server. The numbers here have no formatting any more.
 */

/**
 * The country codes of one and of two digits; all others have three.
 * https://www.itu.int/rec/T-REC-E.164, list of assigned country codes
 */
const INTERNATIONAL = /^\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{7,})$/

/** A national number, with the zero that is dialled only within the country. */
const NATIONAL = /^0?(\d{7,})$/

/** The parameter for numbers without their country code, of those stored with it. */
export const nationalNumbers = (param: string): string => `${param}:national`

/** The number without its country code; undefined where it has none, or is not a telephone number. */
export const nationalNumber = (number: string): string | undefined => INTERNATIONAL.exec(number)?.[1]

/** Other parameters and codes that find the same number. */
export function otherForms(
  param: string,
  number: string,
): readonly { readonly param: string; readonly code: string }[] {
  const national = nationalNumber(number)
  // The forms stored without a plus, without a country code, and with the national zero.
  if (national !== undefined) return [number.slice(1), national, `0${national}`].map((code) => ({ param, code }))
  const withoutZero = NATIONAL.exec(number)?.[1]
  if (withoutZero === undefined) return []
  const nationals = [...new Set([number, withoutZero])].map((code) => ({ param: nationalNumbers(param), code }))
  return [{ param, code: `+${number}` }, ...nationals]
}
