/** What callers state, argument by argument: read in spoken or written form, and brought to its normal form. */
import { DateTime } from 'luxon'
import type { ClinicSettings } from '../clinics/settings.ts'
import { badRequest, type FhirError } from '../fhir/outcome.ts'
import type { patientFields } from './patient-fields.ts'
import { spokenDate } from './spoken/spoken-date.ts'
import { spokenEmail } from './spoken/spoken-email.ts'
import { spokenPhone } from './spoken/spoken-phone.ts'

export type StatedField = keyof typeof patientFields
type TextField = Exclude<StatedField, 'commsConsent'>

export type Stated<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

/** Where and when it was said. */
export interface Place {
  readonly region: string | undefined
  /** In the time zone of the clinic. */
  readonly now: DateTime
}

/** @param now milliseconds since 1970 UTC */
export const placeOf = (settings: Pick<ClinicSettings, 'timeZone' | 'defaultRegion'>, now: number): Place => ({
  region: settings.defaultRegion,
  now: DateTime.fromMillis(now, { zone: settings.timeZone }),
})

/** Characters at most: names fit on a line, free text on half a page. */
const NAME_LENGTH = 100
const TEXT_LENGTH = 1000

const READERS: Readonly<Record<TextField, (text: string, place: Place) => Stated<string>>> = {
  firstName: (text) => statedText(text, NAME_LENGTH),
  lastName: (text) => statedText(text, NAME_LENGTH),
  dateOfBirth: (text, { now }) => spokenDate(text, now),
  phone: (text, { region }) => spokenPhone(text, region),
  email: (text) => spokenEmail(text),
  address: (text) => statedText(text, TEXT_LENGTH),
  preferredLocation: (text) => statedText(text, TEXT_LENGTH),
  medicareStatus: (text) => statedText(text, TEXT_LENGTH),
  healthPlanName: (text) => statedText(text, TEXT_LENGTH),
  referralSource: (text) => statedText(text, TEXT_LENGTH),
  reasonForVisit: (text) => statedText(text, TEXT_LENGTH),
}

/** Absent, null and blank: what platforms send for an argument that the caller has not given. */
export const notStated = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

export function readStated(field: TextField, value: unknown, place: Place): Stated<string> {
  if (notStated(value)) return { ok: false, error: 'The value is missing' }
  return typeof value === 'string' ? READERS[field](value, place) : NOT_TEXT
}

const NOT_TEXT = { ok: false, error: 'The value must be a string' } as const

/** Free text on one line: control characters and runs of white space become one space. */
function statedText(text: string, most: number): Stated<string> {
  const value = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  if (value === '') return { ok: false, error: 'The value is missing' }
  if (value.length > most) return { ok: false, error: `The value has ${value.length} characters; it may have ${most}` }
  return { ok: true, value }
}

export const statedBoolean = (value: unknown): Stated<boolean> =>
  typeof value === 'boolean' ? { ok: true, value } : { ok: false, error: 'The value must be true or false' }

/** 400 for an argument that cannot be read. What was said is not in the message, which may end in a log. */
export const invalidArgument = (name: string, error: string): FhirError =>
  badRequest(`${name}: ${error}`, { expression: name, reason: 'invalid-argument' })

/** An optional free text on one line. @throws FhirError 400 when it is no text or longer than `most` characters */
export function optionalText(name: string, value: unknown, most: number): string | undefined {
  if (notStated(value)) return undefined
  const stated = typeof value === 'string' ? statedText(value, most) : NOT_TEXT
  if (!stated.ok) throw invalidArgument(name, stated.error)
  return stated.value
}

/** @throws FhirError 400 when it is missing, no text or longer than `most` characters */
export function requiredText(name: string, value: unknown, most: number): string {
  const text = optionalText(name, value, most)
  if (text !== undefined) return text
  throw badRequest(`${name}: The value is missing`, { expression: name, reason: 'missing-argument' })
}
