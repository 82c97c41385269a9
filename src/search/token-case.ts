/**
 * Decides whether case matters when codes are compared: https://hl7.org/fhir/R4/search.html#token,
 * docs/adr/016-case-of-tokens.md.
 */
import { isCaseSensitiveInR4 } from '../fhir/definitions.ts'
import type { Condition } from './plan.ts'

/** True for a case-sensitive code system. Undefined stands for any system, as in a search that names none. */
export type IsCaseSensitive = (system: string | undefined) => boolean

/** The parameter for codes in lower case, of systems that R4 itself does not declare to be case-sensitive. */
export const caseInsensitive = (param: string): string => `${param}:case-insensitive`

const hasCase = (code: string): boolean => code.toLowerCase() !== code.toUpperCase()

/** True when a code is also stored in lower case. */
export const isKeptWithoutCase = (system: string, code: string): boolean =>
  hasCase(code) && !isCaseSensitiveInR4(system)

/** @param system '': the code has none; undefined: any */
export function codeCondition(
  param: string,
  { system, code }: { readonly system?: string | undefined; readonly code: string },
  isCaseSensitive: IsCaseSensitive,
): Condition {
  const asWritten = { kind: 'token', param, ...(system === undefined ? {} : { system }), code } as const
  if (!hasCase(code) || isCaseSensitive(system)) return asWritten
  const withoutCase = { ...asWritten, param: caseInsensitive(param), code: code.toLowerCase() }
  // A code of a case-sensitive system is only found by exactly the same code.
  return system === undefined ? { kind: 'any', of: [asWritten, withoutCase] } : withoutCase
}
