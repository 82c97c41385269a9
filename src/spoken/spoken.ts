/**
 * Values as callers say them: their normal form or a question, and the words around them, such as "you can reach me at …".
 */
import { FhirDecimal, isNumber } from '../fhir/json.ts'

/** The result of parsing a spoken or typed value: its normal form, or a sentence that describes a valid value. */
export type ParsedValue<Value = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

export const understood = (value: string): ParsedValue => ({ ok: true, value })

export const unclear = (error: string): { readonly ok: false; readonly error: string } => ({ ok: false, error })

/** Most characters; an e-mail address spelled letter by letter ("j as in juliet") fits. */
const MAX_LENGTH = 1000

/** Checked first, so that parsing never takes long. */
export const tooLong = (text: string): boolean => text.length > MAX_LENGTH

/** Unifies variants used by transcribers: compatibility forms, invisible characters, dashes, apostrophes. */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}|\u2212/gu, '-')
    .replace(/[‘’ʼ]/g, "'")
    .trim()

/** Arabic-Indic digits, and those of Persian and Urdu; each set begins at a multiple of 16. */
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g

/** The same for a value with digits, in which Arabic ones are replaced too. */
export const plainNumber = (text: string): string =>
  plain(text).replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) % 16))

/** The times in which JavaScript writes a Date ("Tue Dec 01 2026 09:00:00 GMT-0500 (…)"), in the form of RFC 2822. */
export const asRfc2822 = (text: string): string =>
  text.replace(
    /\b([a-z]{3}) ([a-z]{3}) (\d\d) (\d{4} \d\d:\d\d:\d\d) gmt([+-]\d{4})(?: \([^()]*\))?/i,
    '$1, $3 $2 $4 $5',
  )

/** Codes and words of agents compared by their letters: "SMS", "Self-pay: continue", SELF_PAY_CONTINUE. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

/** The digits of a non-negative JSON integer; undefined if JSON may have lost some of them, and for anything else. */
export function wholeNumberText(value: unknown): string | undefined {
  if (!isNumber(value)) return undefined
  const text = value instanceof FhirDecimal ? value.source.replace(/\.0+$/, '') : String(value)
  return /^\d+$/.test(text) && (value instanceof FhirDecimal || Number.isSafeInteger(value)) ? text : undefined
}

/** End of a truncated text. */
const MARK = ' […]'

/** Most characters of a caller's own words: several minutes of speech. */
export const KEPT_LENGTH = 4000

/** A caller's free text on one line; undefined if there is none. @param maxLength characters, including the mark */
export function keptText(value: unknown, maxLength: number): string | undefined {
  if (value === undefined) return undefined
  const text = String(value)
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  if (text === '') return undefined
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - MARK.length).toWellFormed()}${MARK}`
}

/** The kind of value; decides how callers introduce it. */
export type ValueKind = 'email' | 'phone' | 'date' | 'identifier'

const FILLER =
  "uh|uhm|um|umm|er|erm|ah|so|well|yes|yeah|yep|okay|ok|sure|hi|hello|hey|alright|right|please|thanks|of course|no problem(?=,)|certainly|let me see|sorry(?=,? (?:it's|it is|that's|my))|no(?=,? (?:it's|it is|that's|my))|oh(?=,? (?:it's|it is|that's|my|yeah|yes|okay|sure))"

const ADJECTIVES =
  '(?:(?:best|main|home|work|personal|new|current|primary|private|business|contact|office|full|preferred|insurance|member|group|policy|subscriber|mobile|cell) )*'

const NOUNS: Readonly<Record<ValueKind, string>> = {
  email: 'e-?mail(?: address)?|address',
  phone: '(?:(?:tele)?phone|cell(?:phone)?|mobile|landline|number)(?: phone)?(?: number)?',
  date: 'date of birth|birth ?date|birthday|dob|birth',
  identifier:
    '(?:member|membership|insurance|policy|subscriber|group|card)? ?(?:id|identification|number|i d)(?: number)?',
}

/** Phrases immediately before the value. */
const VERBS: Readonly<Record<ValueKind, string>> = {
  email:
    '(?:(?:you can|you could|please|just|can you|could you) )*(?:(?:send|forward|mail|e-?mail) (?:it|that|this|them|everything) (?:over )?to(?: me at)?|(?:e-?mail|reach|contact|write(?: to)?) me at|i can be reached at|use)',
  phone:
    '(?:(?:you can|you could|please|just|can you|could you) )*(?:(?:call|reach|text|phone|ring|contact|get) me(?: back)? (?:at|on|under)|i can be reached (?:at|on|under)|call|use)',
  date: '(?:i was|i am|she was|he was) born(?: on)?|born(?: on)?',
  identifier: '(?:i have|i got)',
}

const IS = "(?:'s|:| is:?| was| would be| will be)"

const leadIns = (kind: ValueKind): readonly RegExp[] => [
  new RegExp(`^(?:${FILLER})(?:[,.!;]*\\s+|[,.!;]*$)`, 'i'),
  new RegExp(
    `^(?:and )?(?:(?:my|the|our|his|her|their) )?${ADJECTIVES}(?:${NOUNS[kind]})${IS}(?:[,;]*\\s+|[,;]*$)`,
    'i',
  ),
  /^(?:it's|it is|its|that's|that is|thats|that would be|that'd be|it would be|this is)[,;:]*(?:\s+|$)/i,
  new RegExp(`^(?:${VERBS[kind]})[,;:]*(?:\\s+|$)`, 'i'),
]

const LEAD_INS: Readonly<Record<ValueKind, readonly RegExp[]>> = {
  email: leadIns('email'),
  phone: leadIns('phone'),
  date: leadIns('date'),
  identifier: leadIns('identifier'),
}

const ENDING =
  /(?:^|[\s,.;!?]+)(?:please|thanks|thank you(?: very much| so much)?|okay|ok|yeah|yes|right|alright|sir|ma'am|(?:and )?that's (?:it|all)|that is (?:it|all)|you know|there you go|got (?:it|that))[.!?,;]*$/i

const shortened = (text: string, patterns: readonly RegExp[]): string =>
  patterns.reduce((rest, pattern) => rest.replace(pattern, '').trim(), text)

/** @param text as returned by `plain`, no longer than `tooLong` permits */
export function bareValue(text: string, kind: ValueKind): string {
  const patterns = [...LEAD_INS[kind], ENDING]
  let rest = text
  for (;;) {
    const shorter = shortened(rest, patterns)
    if (shorter === rest) return rest
    rest = shorter
  }
}

/** Words that retract or offer alternatives, so that the value is uncertain. */
const SELF_CORRECTION =
  /(?<![\p{L}\p{N}'@._+-])(?:no|not|nope|wait|sorry|actually|oops|correction|scratch|strike|rather|instead|or|i mean|mean|meant|maybe|perhaps|probably|possibly|either|otherwise|except|but|i think|i guess|again|change)(?![\p{L}\p{N}'@._+-])/iu

/** @param text as returned by `bareValue` */
export const hasSecondThoughts = (text: string): boolean => SELF_CORRECTION.test(text)

/** Words in place of a value, from callers and programs. */
const NO_VALUE = new Set(
  `none nothing unknown n/a na null undefined nan true false yes yeah yep yup nope ok okay hi hello hey bye goodbye please
  thanks thank.you sorry what me myself self she speaking same skip next wait again repeat uninsured self.pay self-pay not.sure
  i.don't.know i.don't.have.it i.don't.have.one i.don't.have.that hold.on hang.on one.moment this.is.she this.is.he`
    .split(/\s+/)
    .map((phrase) => phrase.replaceAll('.', ' ')),
)

/** Whether the text stands for no value. If it is a name or an id all the same, it can be spelled. */
export const isNoValue = (text: string): boolean => NO_VALUE.has(text.toLowerCase().replace(/[.,!?]+$/, ''))
