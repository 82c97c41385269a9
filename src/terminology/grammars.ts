/**
 * Code systems defined by a grammar, with infinitely many codes: they can be checked and displayed, but not listed.
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
      // Type and subtype as in RFC 6838, then parameters.
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

/** Undefined for code systems that list their codes. */
export const grammarOf = (system: string): Grammar | undefined => GRAMMARS.get(system)

export const grammarSystems: readonly string[] = [...GRAMMARS.keys()]

export const acceptedBy = ({ accepts }: Grammar, code: string): boolean =>
  code.length <= MAX_CODE_LENGTH && accepts(code)

/**
 * Whether the tag is well-formed and its language known (xy-AT is well-formed, but xy is not a language), or it is
 * private use.
 */
function isLanguageTag(code: string): boolean {
  if (/^x(-[a-z0-9]{1,8})+$/i.test(code)) return true
  try {
    const { language } = new Intl.Locale(code)
    return new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(language) !== undefined
  } catch {
    return false
  }
}

/** Without extensions such as -u-ca-buddhist, which display names do not include. */
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
    // Intl also accepts offsets such as +01:00, which are not IANA names.
    return /^[A-Z]/i.test(code) && new Intl.DateTimeFormat('en', { timeZone: code }) !== undefined
  } catch {
    return false
  }
}
