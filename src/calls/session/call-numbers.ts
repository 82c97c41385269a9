/** The numbers at the two ends of a call, as platforms write them: E.164, national, or a word for "withheld". */
import { type DialedNumber, dialedNumber, dialedNumbers } from '../../clinics/settings.ts'
import { parsePhone } from '../../matching/parse-phone.ts'
import { phoneSpellings } from '../../matching/phones.ts'
import type { Repository } from '../../repository/repository.ts'
import { spokenPhone } from '../../spoken/spoken-phone.ts'

/** Words that networks send in place of a withheld number. */
export const WITHHELD_WORDS = ['anonymous', 'blocked', 'private', 'restricted', 'unavailable', 'unknown'] as const

/** Keypad digits that spell one of these words, which networks send too. */
const WITHHELD: ReadonlySet<string> = new Set(WITHHELD_WORDS.map(keyed))

/** `private` -> 7748283, by the letters on a telephone's keys (ITU-T E.161). */
function keyed(word: string): string {
  return word.replace(/[a-z]/g, (letter) => '22233344455566677778889999'.charAt(letter.charCodeAt(0) - 97))
}

/**
 * The number of a caller in E.164. Undefined for anything that is not one person's number, as patients are looked up by
 * it: words, SIP names, numbers too short or too long for their country, withheld ones, and a single digit repeated.
 * @param region ISO 3166 code of the clinic's country, in which a number without a country code is read
 */
export function readCallerNumber(text: string, region: string | undefined): string | undefined {
  const read = spokenPhone(text, region)
  if (!read.ok || WITHHELD.has(text.replace(/\D/g, ''))) return undefined
  const parsed = parsePhone(read.value)
  if (parsed === undefined || !parsed.isPossible() || /^(\d)\1*$/.test(parsed.nationalNumber)) return undefined
  return parsed.number
}

/** Numbers of clinics; where there are more, a dialled number without a country code leads to none of them. */
const MAX_NUMBERS = 10_000

/** The number that was dialled, and its clinic. A national form counts when it fits exactly one of all numbers. */
export async function findDialedNumber(repository: Repository, text: string): Promise<DialedNumber | undefined> {
  const read = spokenPhone(text, undefined)
  if (!read.ok) return undefined
  if (read.value.startsWith('+')) return await dialedNumber(repository, read.value)
  const all = await dialedNumbers(repository, MAX_NUMBERS + 1)
  const matching = all.filter(({ number }) => phoneSpellings(number).includes(read.value))
  return matching.length === 1 && all.length <= MAX_NUMBERS ? matching[0] : undefined
}

/** Is `text` a way to write the dialled number of a call? */
export function isSpellingOf(text: string, number: string): boolean {
  const read = spokenPhone(text, undefined)
  return read.ok && phoneSpellings(number).includes(read.value)
}
