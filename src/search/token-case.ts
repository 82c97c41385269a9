/**
 * Whether case counts where codes are compared: https://hl7.org/fhir/R4/search.html#token,
 * docs/adr/016-case-of-tokens.md.
 */
import { isCaseSensitiveInR4 } from '../fhir/code-systems.ts'
import type { Condition } from './plan.ts'

/**
 * Says of a code system that it is case-sensitive. Undefined stands for no matter which: a search that names none.
 */
export type IsCaseSensitive = (system: string | undefined) => boolean

/** The parameter for codes in lower case: of systems that are not case-sensitive in R4 itself. */
export const caseInsensitive = (param: string): string => `${param}:case-insensitive`

const hasCase = (code: string): boolean => code.toLowerCase() !== code.toUpperCase()

/** Whether a code is kept in lower case too. */
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
  // A code of a case-sensitive system is found by the very same code alone.
  return system === undefined ? { kind: 'any', of: [asWritten, withoutCase] } : withoutCase
}
