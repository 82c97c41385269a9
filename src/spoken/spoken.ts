import { FhirDecimal, isNumber } from '../fhir/json.ts'

/** The result of parsing a spoken or typed value: its normal form, or a sentence that describes a valid value. */
export type ParsedValue<Value = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

export const understood = (value: string): ParsedValue => ({ ok: true, value })

export const unclear = (error: string): ParsedValue => ({ ok: false, error })

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
