/** What callers state, argument by argument: parsed from spoken or written form into its normal form. */
import { DateTime } from 'luxon'
import { type DateOrder, dateOrderOf } from '../clinics/date-order.ts'
import type { ClinicSettings } from '../clinics/settings.ts'
import { isNumber } from '../fhir/json.ts'
import { badRequest, type FhirError, type Issue } from '../fhir/outcome.ts'
import { zoneOf } from '../scheduling/zone-clock.ts'
import { KEPT_LENGTH, keptText } from './kept-text.ts'
import { type ParsedValue, unclear, understood, wholeNumberText } from './spoken.ts'
import { spokenDate } from './spoken-date.ts'
import { spokenEmail } from './spoken-email.ts'
import { spokenName } from './spoken-name.ts'
import { spokenPhone } from './spoken-phone.ts'
import { statedName } from './stated-name.ts'

/** The arguments of the tools that state something of a patient (spec 2.3). */
export type StatedField = TextField | 'commsConsent'

type TextField =
  | 'firstName'
  | 'lastName'
  | 'dateOfBirth'
  | 'phone'
  | 'email'
  | 'address'
  | 'preferredLocation'
  | 'medicareStatus'
  | 'healthPlanName'
  | 'referralSource'
  | 'reasonForVisit'

/** What the meaning of a stated value depends on. */
export interface ClinicLocale {
  /** ISO 3166 code, in which a phone number without a country code is read. */
  readonly region: string | undefined
  /** How 03/04/1980 is read. */
  readonly dateOrder: DateOrder
  /** In the time zone of the clinic. */
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

const PARSERS: Readonly<Record<TextField, (text: string, locale: ClinicLocale) => ParsedValue>> = {
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
}

/** What has a normal form, besides the words in which it was said. */
export const withNormalForm = <Value>(values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(values).filter(([field]) => PARSERS[field as TextField] !== freeText))

/** What a caller tells in their own words is never refused for its length. */
function freeText(text: string): ParsedValue {
  return textUpTo(KEPT_LENGTH, text)
}

function textUpTo(maxLength: number, text: string): ParsedValue {
  const kept = keptText(text, maxLength)
  return kept === undefined ? unclear(MISSING) : understood(kept)
}

/** @param value the argument as it came; a blank one counts as absent before it gets here */
export function readStated(field: TextField, value: unknown, locale: ClinicLocale): ParsedValue {
  if (typeof value === 'string' && value.isWellFormed()) return PARSERS[field](value, locale)
  // Platforms send a number where the transcript has nothing but digits.
  const digits = field === 'phone' ? wholeNumberText(value) : undefined
  if (digits !== undefined) return PARSERS[field](digits, locale)
  return { ok: false, error: value === undefined ? MISSING : 'The value must be a string' }
}

const MISSING = 'The value is missing'

/** Characters of a name and of what is said around it. */
const MAX_WHOLE_NAME_LENGTH = 200

/** A whole name as it was stated, from which `statedName` reads its parts. */
export function readWholeName(value: unknown): ParsedValue {
  if (typeof value !== 'string' || !value.isWellFormed()) return unclear('The value must be a string')
  const text = statedText(value, MAX_WHOLE_NAME_LENGTH)
  return text.ok && statedName(text.value).length === 0 ? unclear(NO_CERTAIN_NAME) : text
}

const NO_CERTAIN_NAME = 'The value holds no name that is certain; give first and last name alone, or spell them'

/** What was stated and could not be read, for staff to look at. */
export function unreadableText(value: unknown): string {
  const text = typeof value === 'string' || isNumber(value) ? String(value).toWellFormed() : ''
  return onOneLine(text).slice(0, MAX_WHOLE_NAME_LENGTH).toWellFormed() || 'not text'
}

const onOneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()

/** Text in any words, for which platforms also send a number, true or false. */
export function readAsText(value: unknown): ParsedValue {
  if (typeof value === 'string' && value.isWellFormed()) return understood(value)
  if (typeof value === 'boolean') return understood(String(value))
  if (isNumber(value)) return understood(wholeNumberText(value) ?? String(value))
  return unclear(value === undefined ? MISSING : 'The value must be text, a number, true or false')
}

/** What is on one line of a card, cut with a mark where it is longer than `maxLength` characters. */
export function readLine(value: unknown, maxLength: number): ParsedValue {
  if (typeof value === 'string' && value.isWellFormed()) return textUpTo(maxLength, value)
  return unclear(value === undefined ? MISSING : 'The value must be a string')
}

/** Given and family name, as `spokenName` stores them. */
export function readPersonName(value: unknown): ParsedValue {
  if (typeof value === 'string' && value.isWellFormed()) return spokenName(value, 'whole')
  return unclear('The value must be a string')
}

/** Free text on one line: control characters and runs of white space become one space. */
function statedText(text: string, maxLength: number): ParsedValue {
  const value = onOneLine(text)
  if (value === '') return { ok: false, error: MISSING }
  if (value.length > maxLength)
    return { ok: false, error: `The value has ${value.length} characters; it may have ${maxLength}` }
  return { ok: true, value }
}

/** What is wrong with an argument, without the value itself, as the text may end up in a log. */
export const argumentIssue = (name: string, value: unknown, error: string): Issue =>
  value === undefined
    ? { code: 'required', reason: 'missing-argument', diagnostics: `${name}: ${error}`, expression: name }
    : { code: 'value', reason: 'invalid-argument', diagnostics: `${name}: ${error}`, expression: name }

/** 400 for an argument with a bad value. */
export const invalidArgument = (name: string, error: string): FhirError =>
  badRequest(`${name}: ${error}`, { expression: name, reason: 'invalid-argument' })

/**
 * An argument that is known to be text, on one line.
 * @throws FhirError 400 when it is blank or longer than `maxLength` characters
 */
function readText(name: string, value: unknown, maxLength: number): string {
  const stated = statedText(String(value), maxLength)
  if (!stated.ok) throw invalidArgument(name, stated.error)
  return stated.value
}

/** The same for one that may be absent. @throws FhirError 400 as `readText` does */
export const optionalText = (name: string, value: unknown, maxLength: number): string | undefined =>
  value === undefined ? undefined : readText(name, value, maxLength)
