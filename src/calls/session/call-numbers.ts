/** Phone numbers at both ends of a call, as platforms write them: E.164, national, or a word for "withheld". */
import { type DialedNumber, dialedNumber, dialedNumbers } from '../../clinics/settings.ts'
import { parsePhone, phoneSpellings } from '../../matching/phones.ts'
import type { Repository } from '../../repository/repository.ts'
import { spokenPhone } from '../../spoken/spoken-phone.ts'

/** Words sent by networks in place of a withheld number. */
export const WITHHELD_WORDS = ['anonymous', 'blocked', 'private', 'restricted', 'unavailable', 'unknown'] as const

/** Keypad digits for these words, which networks also send. */
const WITHHELD: ReadonlySet<string> = new Set(WITHHELD_WORDS.map(keyed))

/** Turns `private` into 7748283, by the letters on telephone keys (ITU-T E.161). */
function keyed(word: string): string {
  return word.replace(/[a-z]/g, (letter) => '22233344455566677778889999'.charAt(letter.charCodeAt(0) - 97))
}

/**
 * The number of a caller in E.164. As patients are looked up by it, it is undefined for anything but one person's
 * number: words, SIP names, numbers too short or too long for their country, withheld numbers, and a single repeated
 * digit.
 * @param region ISO 3166 code of the clinic's country, for numbers without a country code
 */
export function readCallerNumber(text: string, region: string | undefined): string | undefined {
  const read = spokenPhone(text, region)
  if (!read.ok || WITHHELD.has(text.replace(/\D/g, ''))) return undefined
  const parsed = parsePhone(read.value)
  if (parsed === undefined || !parsed.isPossible() || /^(\d)\1*$/.test(parsed.nationalNumber)) return undefined
  return parsed.number
}

/**
 * Most numbers of clinics that are compared; beyond that, a dialled number without a country code identifies no clinic.
 */
const MAX_NUMBERS = 10_000

/** The dialled number, and its clinic. A national form counts if it fits exactly one of all numbers. */
export async function findDialedNumber(repository: Repository, text: string): Promise<DialedNumber | undefined> {
  const read = spokenPhone(text, undefined)
  if (!read.ok) return undefined
  if (read.value.startsWith('+')) return await dialedNumber(repository, read.value)
  const all = await dialedNumbers(repository, MAX_NUMBERS + 1)
  const matching = all.filter(({ number }) => phoneSpellings(number).includes(read.value))
  return matching.length === 1 && all.length <= MAX_NUMBERS ? matching[0] : undefined
}

/** Whether `text` is a spelling of the dialled number of a call. */
export function isSpellingOf(text: string, number: string): boolean {
  const read = spokenPhone(text, undefined)
  return read.ok && phoneSpellings(number).includes(read.value)
}
