import { FhirDecimal, isNumber } from '../fhir/json.ts'

/** What parsing a spoken (or typed) value gives: its normal form, or a sentence that says what would be right. */
export type ParsedValue<Value = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

export const understood = (value: string): ParsedValue => ({ ok: true, value })

export const unclear = (error: string): ParsedValue => ({ ok: false, error })

/** Characters; an e-mail address spelled letter by letter ("j as in juliet") fits. */
const MAX_LENGTH = 1000

/** Checked first, so that no text takes long to parse. */
export const tooLong = (text: string): boolean => text.length > MAX_LENGTH

/**
 * One spelling for what transcribers write in several ways: compatibility forms, invisible marks, dashes, apostrophes.
 */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}|\u2212/gu, '-')
    .replace(/[‘’ʼ]/g, "'")
    .trim()

/** The digits of a JSON number of 0 and more; undefined where JSON may have lost some of them, and for anything else. */
export function wholeNumberText(value: unknown): string | undefined {
  if (!isNumber(value)) return undefined
  const text = value instanceof FhirDecimal ? value.source.replace(/\.0+$/, '') : String(value)
  return /^\d+$/.test(text) && (value instanceof FhirDecimal || Number.isSafeInteger(value)) ? text : undefined
}
