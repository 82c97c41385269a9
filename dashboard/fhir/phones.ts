/** Phone numbers in groups, as people read them. */

/** Calling codes of two digits (ITU-T E.164); `1` and `7` are those of one, and all others have three. */
const TWO_DIGITS = /^(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** `+1 212 555 0142`, `+49 301 234 567`; a text that is not a number with its country code stays as it is. */
export function phoneText(number: string): string {
  const digits = /^\+(\d{7,15})$/.exec(number)?.[1]
  if (digits === undefined) return number
  const length = /^[17]/.test(digits) ? 1 : TWO_DIGITS.test(digits) ? 2 : 3
  return [`+${digits.slice(0, length)}`, ...groupsOf(digits.slice(length))].join(' ')
}

/** Groups of three, the last one of two to four digits: each country groups its own in another way. */
const groupsOf = (digits: string): readonly string[] => digits.match(/\d{3}(?=\d{2})|\d+/g) ?? []
