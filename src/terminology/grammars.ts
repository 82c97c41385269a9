/**
 * Code systems whose codes follow rules and have no end: they can be checked and named, not listed.
 * https://hl7.org/fhir/R4/terminologies-systems.html
 */

export interface Grammar {
  readonly title: string
  readonly accepts: (code: string) => boolean
  readonly display: (code: string) => string
}

const MAX_CODE_LENGTH = 200

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map([
  [
    'urn:ietf:bcp:47',
    {
      title: 'Tags for the identification of languages',
      accepts: isLanguageTag,
      display: languageName,
    },
  ],
  [
    'urn:ietf:bcp:13',
    {
      title: 'MIME types',
      // Type and subtype as RFC 6838 has them, then parameters.
      accepts: (code) => /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9*][\w!#$&^.+-]{0,126}(;.*)?$/i.test(code),
      display: (code) => code,
    },
  ],
  [
    'https://www.iana.org/time-zones',
    {
      title: 'IANA time zones',
      accepts: isTimeZone,
      display: (code) => code,
    },
  ],
])

/** Undefined for systems that are lists of codes. */
export const grammarOf = (system: string): Grammar | undefined => GRAMMARS.get(system)

export const grammarSystems: readonly string[] = [...GRAMMARS.keys()]

export const acceptedBy = ({ accepts }: Grammar, code: string): boolean =>
  code.length <= MAX_CODE_LENGTH && accepts(code)

/** A well-formed tag whose language is known (xy-AT is well-formed, but xy is no language), or one for private use. */
function isLanguageTag(code: string): boolean {
  if (/^x(-[a-z0-9]{1,8})+$/i.test(code)) return true
  try {
    const { language } = new Intl.Locale(code)
    return new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(language) !== undefined
  } catch {
    return false
  }
}

/** Without extensions such as -u-ca-buddhist, which names do not tell. */
function languageName(code: string): string {
  try {
    const { baseName } = new Intl.Locale(code)
    return new Intl.DisplayNames('en', { type: 'language' }).of(baseName) ?? code
  } catch {
    return code
  }
}

function isTimeZone(code: string): boolean {
  try {
    // Offsets such as +01:00 are accepted by Intl, but are no names of the IANA.
    return /^[A-Z]/i.test(code) && new Intl.DateTimeFormat('en', { timeZone: code }) !== undefined
  } catch {
    return false
  }
}
