/** What callers state, argument by argument: read in spoken or written form, and brought to its normal form. */
import { DateTime } from 'luxon'
import type { ClinicSettings } from '../../clinics/settings.ts'
import { badRequest, type FhirError, type Issue } from '../../fhir/outcome.ts'
import type { patientFields } from '../record/patient-fields.ts'
import { spokenDate } from './spoken-date.ts'
import { spokenEmail } from './spoken-email.ts'
import { spokenPhone } from './spoken-phone.ts'

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
  // Only dates need it, and time zones are expensive.
  get now() {
    return DateTime.fromMillis(now, { zone: settings.timeZone })
  },
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

/** One argument as it came, which blank ones never do. */
export function readStated(field: TextField, value: unknown, place: Place): Stated<string> {
  if (typeof value === 'string' && value.isWellFormed()) return READERS[field](value, place)
  return { ok: false, error: value === undefined ? MISSING : 'The value must be a string' }
}

const MISSING = 'The value is missing'

/** Free text on one line: control characters and runs of white space become one space. */
function statedText(text: string, most: number): Stated<string> {
  const value = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  if (value === '') return { ok: false, error: MISSING }
  if (value.length > most) return { ok: false, error: `The value has ${value.length} characters; it may have ${most}` }
  return { ok: true, value }
}

export const statedBoolean = (value: unknown): Stated<boolean> =>
  typeof value === 'boolean' ? { ok: true, value } : { ok: false, error: 'The value must be true or false' }

/** What is wrong with an argument. What was said is not in it, as it may end in a log. */
export const argumentIssue = (name: string, value: unknown, error: string): Issue =>
  value === undefined
    ? { code: 'required', reason: 'missing-argument', diagnostics: `${name}: ${error}`, expression: name }
    : { code: 'value', reason: 'invalid-argument', diagnostics: `${name}: ${error}`, expression: name }

/** 400 for an argument that is not as it must be. */
export const invalidArgument = (name: string, error: string): FhirError =>
  badRequest(`${name}: ${error}`, { expression: name, reason: 'invalid-argument' })

/** An argument that is known to be text, on one line. @throws FhirError 400 when it is longer than `most` characters */
export function readText(name: string, value: unknown, most: number): string {
  const stated = statedText(String(value), most)
  if (!stated.ok) throw invalidArgument(name, stated.error)
  return stated.value
}

/** The same for one that may be absent. */
export const optionalText = (name: string, value: unknown, most: number): string | undefined =>
  value === undefined ? undefined : readText(name, value, most)
