/** Normalizes callers' statements, argument by argument, from spoken or written form. */
import { DateTime } from 'luxon'
import { type ClinicSettings, type DateOrder, dateOrderOf } from '../clinics/settings.ts'
import { isNothing, type OperationInput } from '../core/operation.ts'
import { isNumber } from '../fhir/json.ts'
import { badRequest, FhirError, type Issue } from '../fhir/outcome.ts'
import { zoneOf } from '../scheduling/zone-clock.ts'
import { KEPT_LENGTH, keptText, lettersOf, type ParsedValue, unclear, understood, wholeNumberText } from './spoken.ts'
import { spokenDate } from './spoken-date.ts'
import { spokenEmail } from './spoken-email.ts'
import { spokenName } from './spoken-name.ts'
import { spokenPhone } from './spoken-phone.ts'
import { statedName } from './stated-name.ts'

/** Tool arguments that state something about a patient (spec 2.3). */
export type StatedField = TextField | 'commsConsent'

type TextField = keyof typeof PARSERS

/** Context that decides the meaning of a stated value. */
export interface ClinicLocale {
  /** ISO 3166 code of the country for phone numbers without a country code. */
  readonly region: string | undefined
  /** The order in which 03/04/1980 is read. */
  readonly dateOrder: DateOrder
  /** The current time in the clinic's time zone. */
  readonly now: DateTime
}

/** @param now milliseconds since 1970 UTC */
export const localeOf = (
  { timeZone, defaultRegion, dateOrder }: Pick<ClinicSettings, 'timeZone' | 'defaultRegion' | 'dateOrder'>,
  now: number,
): ClinicLocale => ({
  region: defaultRegion,
  dateOrder: dateOrder ?? dateOrderOf(defaultRegion),
  // Evaluated only for dates, as time zones are expensive.
  get now() {
    return DateTime.fromMillis(now, { zone: zoneOf(timeZone) })
  },
})

const PARSERS = {
  firstName: (text) => spokenName(text, 'given'),
  lastName: (text) => spokenName(text, 'family'),
  dateOfBirth: spokenDate,
  phone: (text, { region }) => spokenPhone(text, region),
  email: spokenEmail,
  address: freeText,
  preferredLocation: freeText,
  medicareStatus: freeText,
  healthPlanName: freeText,
  referralSource: freeText,
  reasonForVisit: freeText,
} as const satisfies Readonly<Record<string, (text: string, locale: ClinicLocale) => ParsedValue>>

/** Arguments in the caller's own words, in which "none" is an answer: "which health plan do you have?" */
export const isFreeText = (field: StatedField): boolean => field !== 'commsConsent' && PARSERS[field] === freeText

/** The values whose normal form may differ from the caller's words. */
export const withNormalForm = <Value>(values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !isFreeText(field as StatedField)))

/** A caller's own words are never refused for their length. */
function freeText(text: string): ParsedValue {
  return textUpTo(KEPT_LENGTH, text)
}

function textUpTo(maxLength: number, text: string): ParsedValue {
  const kept = keptText(text, maxLength)
  return kept === undefined ? unclear(MISSING) : understood(kept)
}

/** @param value the argument as received; a blank one was treated as absent before */
export function readStated(field: TextField, value: unknown, locale: ClinicLocale): ParsedValue {
  if (typeof value === 'string' && value.isWellFormed()) return PARSERS[field](value, locale)
  if (isFreeText(field)) {
    const text = readAsText(value)
    return text.ok ? PARSERS[field](text.value, locale) : text
  }
  // Platforms send a number if the transcript has only digits.
  const digits = DIGITS_ALONE.includes(field) ? wholeNumberText(value) : undefined
  if (digits !== undefined) return PARSERS[field](digits, locale)
  return { ok: false, error: value === undefined ? MISSING : 'The value must be a string' }
}

/** Fields with values of digits alone: a phone number, 19800303. */
const DIGITS_ALONE: readonly TextField[] = ['phone', 'dateOfBirth']

const MISSING = 'The value is missing'

/** Most characters of a name with the words around it. */
const MAX_WHOLE_NAME_LENGTH = 200

/** A whole name as stated, which `statedName` then parses. */
export function readWholeName(value: unknown): ParsedValue {
  if (typeof value !== 'string' || !value.isWellFormed()) return unclear('The value must be a string')
  const text = statedText(value, MAX_WHOLE_NAME_LENGTH)
  return text.ok && statedName(text.value).length === 0 ? unclear(NO_CERTAIN_NAME) : text
}

const NO_CERTAIN_NAME = 'The value holds no name that is certain; give first and last name alone, or spell them'

/** A stated value that could not be read, for staff to look at. */
export function unreadableText(value: unknown): string {
  const text = typeof value === 'string' || isNumber(value) ? String(value).toWellFormed() : ''
  return onOneLine(text).slice(0, MAX_WHOLE_NAME_LENGTH).toWellFormed() || 'not text'
}

const onOneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()

/** Free text, for which platforms may also send a number or a boolean. */
export function readAsText(value: unknown): ParsedValue {
  if (typeof value === 'string' && value.isWellFormed()) return understood(value)
  if (typeof value === 'boolean') return understood(String(value))
  if (isNumber(value)) return understood(wholeNumberText(value) ?? String(value))
  return unclear(value === undefined ? MISSING : 'The value must be text, a number, true or false')
}

/** A line of text on a card, truncated with a mark beyond `maxLength` characters. */
export function readLine(value: unknown, maxLength: number): ParsedValue {
  const text = readAsText(value)
  return text.ok ? textUpTo(maxLength, text.value) : text
}

/** Given and family name, in the form that `spokenName` stores. */
export function readPersonName(value: unknown): ParsedValue {
  if (typeof value === 'string' && value.isWellFormed()) return spokenName(value, 'whole')
  return unclear('The value must be a string')
}

/** Free text on one line: control characters and runs of whitespace become one space. */
export function statedText(text: string, maxLength: number): ParsedValue {
  const value = onOneLine(text)
  if (value === '') return { ok: false, error: MISSING }
  if (value.length > maxLength)
    return { ok: false, error: `The value has ${value.length} characters; it may have ${maxLength}` }
  return { ok: true, value }
}

/** The problem with an argument, without its value, as the text may be logged. */
export const argumentIssue = (name: string, value: unknown, error: string): Issue =>
  value === undefined
    ? { code: 'required', reason: 'missing-argument', diagnostics: `${name}: ${error}`, expression: name }
    : { code: 'value', reason: 'invalid-argument', diagnostics: `${name}: ${error}`, expression: name }

/** 400 for an argument with a bad value. */
export const invalidArgument = (name: string, error: string): FhirError =>
  badRequest(`${name}: ${error}`, { expression: name, reason: 'invalid-argument' })

type Readers = Readonly<Record<string, (value: unknown) => ParsedValue<unknown>>>

type Read<R extends Readers> = {
  readonly [Name in keyof R]: R[Name] extends (value: unknown) => ParsedValue<infer Value> ? Value : never
}

/**
 * The normal form of each argument of a tool, by the table of its readers; all missing or invalid ones are reported
 * together.
 * @param optional arguments that may be absent, also by a "none"
 * @param say the sentence for the agent about arguments that are missing or invalid; absent: the general one
 * @throws FhirError 400 with an issue for each missing or invalid value, the missing ones first
 */
export function readAll<R extends Readers, Optional extends keyof R & string = never>(
  readers: R,
  input: OperationInput,
  {
    optional = [],
    say,
  }: { readonly optional?: readonly Optional[]; readonly say?: (names: readonly (keyof R & string)[]) => string } = {},
): Omit<Read<R>, Optional> & Partial<Pick<Read<R>, Optional>> {
  const isAbsent = (name: string) =>
    optional.some((one) => one === name) && (input[name] === undefined || isNothing(input[name]))
  const names = (Object.keys(readers) as (keyof R & string)[]).filter((name) => !isAbsent(name))
  const read = names.map((name) => ({ name, result: readers[name]?.(input[name]) ?? unclear(MISSING) }))
  const wrong = read.flatMap(({ name, result }) => (result.ok ? [] : [{ name, error: result.error }]))
  if (wrong.length === 0)
    return Object.fromEntries(read.map(({ name, result }) => [name, result.ok ? result.value : undefined])) as Read<R>
  const text = say === undefined ? {} : { text: say(wrong.map(({ name }) => name)) }
  const issues = wrong.map(({ name, error }) => ({ ...argumentIssue(name, input[name], error), ...text }))
  throw new FhirError(
    400,
    issues.toSorted((a, b) => rank(a) - rank(b)),
  )
}

/** Reads one of these codes, however it is written: self_pay_continue, "Self-pay: continue". */
export const readOneOf =
  <const Code extends string>(codes: readonly Code[]) =>
  (value: unknown): ParsedValue<Code> => {
    const code = codes.find((one) => typeof value === 'string' && lettersOf(one) === lettersOf(value))
    return code === undefined ? unclear(`The value must be one of ${codes.join(', ')}`) : { ok: true, value: code }
  }

const rank = ({ code }: Issue): number => (code === 'required' ? 0 : 1)
