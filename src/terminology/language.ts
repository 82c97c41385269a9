/** Displays and designations in other languages: https://hl7.org/fhir/R4/terminology-service.html. */
import type { Designation } from './member.ts'

const LANGUAGES = 'urn:ietf:bcp:47'
/** Uses of designations that are synonyms rather than translations of the display (SNOMED CT). */
const OTHER_USES = ['900000000000003001', '900000000000550004']

/** Whether a text in language `offered` satisfies a request for `requested`: de-CH for de, and de for de-CH. */
export function matchesLanguage(offered: string | undefined, requested: string): boolean {
  if (offered === undefined) return false
  const [one, other] = [offered.toLowerCase(), requested.toLowerCase()]
  return one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`)
}

/** The text in `language`: preferably with exactly this tag, else in a matching language, else the display. */
export function displayIn(
  language: string | undefined,
  display: string | undefined,
  designations: readonly Designation[],
): string | undefined {
  if (language === undefined) return display
  const names = designations.filter(({ use }) => !OTHER_USES.includes(use?.code ?? ''))
  const exact = names.find((one) => one.language?.toLowerCase() === language.toLowerCase())
  return (exact ?? names.find((one) => matchesLanguage(one.language, language)))?.value ?? display
}

/** Tokens: `urn:ietf:bcp:47|de` selects a language, another `system|code` a use, and a system alone all of its uses. */
export function isRequested({ language, use }: Designation, tokens: readonly string[]): boolean {
  if (tokens.length === 0) return true
  return tokens.some((token) => {
    const bar = token.indexOf('|')
    const [system, code] = bar < 0 ? [token, undefined] : [token.slice(0, bar), token.slice(bar + 1)]
    if (system === LANGUAGES) return code === undefined ? language !== undefined : matchesLanguage(language, code)
    return use?.system === system && (code === undefined || use.code === code)
  })
}

/** For comparison: lower case, without accents and extra white space. */
export const folded = (text: string): string =>
  text
    // Before too: normalize() sorts the marks of a letter, and takes hours for a million of them.
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
