/** Displays in other languages: https://hl7.org/fhir/R4/terminology-service.html, displayLanguage and designations. */
import type { Designation } from './member.ts'

const LANGUAGES = 'urn:ietf:bcp:47'
/** Of a designation that is another name and no translation of the display. */
const OTHER_USES = ['900000000000003001', '900000000000550004']

/** Whether `offered` serves who asks for `asked`: de-CH serves de, and de serves de-CH. */
export function servesLanguage(offered: string | undefined, asked: string): boolean {
  if (offered === undefined) return false
  const [one, other] = [offered.toLowerCase(), asked.toLowerCase()]
  return one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`)
}

/** The text for `language`: an exact tag before one of the same language; the display where there is none. */
export function displayIn(
  language: string | undefined,
  display: string | undefined,
  designations: readonly Designation[],
): string | undefined {
  if (language === undefined) return display
  const names = designations.filter(({ use }) => !OTHER_USES.includes(use?.code ?? ''))
  const exact = names.find((one) => one.language?.toLowerCase() === language.toLowerCase())
  return (exact ?? names.find((one) => servesLanguage(one.language, language)))?.value ?? display
}

/** `urn:ietf:bcp:47|de` asks for a language, any other `system|code` for a use, a system alone for all its uses. */
export function isAskedFor({ language, use }: Designation, asked: readonly string[]): boolean {
  if (asked.length === 0) return true
  return asked.some((token) => {
    const bar = token.indexOf('|')
    const [system, code] = bar < 0 ? [token, undefined] : [token.slice(0, bar), token.slice(bar + 1)]
    if (system === LANGUAGES) return code === undefined ? language !== undefined : servesLanguage(language, code)
    return use?.system === system && (code === undefined || use.code === code)
  })
}

/** Displays are compared as people read them. */
export const sameText = (one: string, other: string): boolean => folded(one) === folded(other)

/** Without case, accents and double spaces. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase()
