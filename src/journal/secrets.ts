/** What is a secret: by the name that it has, by its form, and because it was one elsewhere in the same exchange. */

/** What takes its place. */
export const REMOVED = '[removed]'

/** Parts of names, without case and without what is neither letter nor digit. */
const NAMES =
  /password|passwd|passphrase|pwd|secret|token|apikey|accesskey|privatekey|authorization|cookie|credential|assertion|sessionid|jwt/

/** Of headers, whatever else may be in them: signatures are as good as secrets for as long as they hold. */
const HEADERS = /auth|signature|session|key(?!words)|bearer/
/** How a server asks for credentials, and the keys under which requests are repeated: no secrets. */
const KNOWN_HEADERS: ReadonlySet<string> = new Set(['www-authenticate', 'proxy-authenticate', 'idempotency-key'])

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** Names come again and again; so many answers are remembered. */
const REMEMBERED = 2_000

function remembered(judge: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    if (known.size >= REMEMBERED) known.clear()
    const judged = judge(name)
    known.set(name, judged)
    return judged
  }
}

export const isSecretName = remembered((name) => NAMES.test(folded(name)))

/** @param name in lower case */
export const isSecretHeader = remembered(
  (name) => !KNOWN_HEADERS.has(name) && (NAMES.test(folded(name)) || HEADERS.test(name)),
)

/** In every text in which NAMES finds something at least one of these stands: looking for them takes a tenth of the time. */
const PIECES = [
  'pass',
  'pwd',
  'secret',
  'token',
  'key',
  'authoriz',
  'cookie',
  'credential',
  'assertion',
  'session',
  'jwt',
]

/** @param lower in lower case */
export const hasPieceOfName = (lower: string): boolean => PIECES.some((piece) => lower.includes(piece))

/** Whether a text may name a secret. */
export const mayNameSecret = (text: string): boolean => NAMES.test(text.toLowerCase().replace(/[-_. ]/g, ''))

/**
 * The token of a resume link is 32 characters (src/calls/recovery/resume-link.ts); whatever stands there is taken for one.
 * Each form begins at one place of a run only, or is bounded: no text takes longer than its length.
 */
interface Form {
  /** In lower case: one of them stands in every text that has the form. */
  readonly signs: readonly string[]
  readonly form: RegExp
  readonly instead: string
}

const FORMS: readonly Form[] = [
  { signs: ['eyj'], form: /(?<![\w-])eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, instead: REMOVED },
  { signs: ['whsec_'], form: /\bwhsec_[\w+/=-]+/g, instead: REMOVED },
  {
    signs: ['bearer', 'basic'],
    form: /\b(Bearer|Basic)(\s{1,9}|%20|\+)[\w.~+/=-]{8,}/gi,
    instead: `$1$2${REMOVED}`,
  },
  { signs: ['/resume/'], form: /(\/resume\/)[^/?#\s"'\\<>]+/gi, instead: `$1${REMOVED}` },
  {
    signs: ['resume', ...PIECES],
    form: /([?&][\w.-]{0,64}(?:resume|password|passwd|pwd|secret|token|api[_-]?key|credential|assertion|session_?id|jwt)[\w.-]{0,64}=)[^&#\s"'\\<>]+/gi,
    instead: `$1${REMOVED}`,
  },
  {
    signs: ['@'],
    form: /(:\/\/)[^/?#\s"'\\<>@:]{0,256}:[^/?#\s"'\\<>@]{0,256}@/g,
    instead: `$1${REMOVED}@`,
  },
]

/** Characters of a secret that is looked for elsewhere: shorter ones stand there by chance. */
const MIN_LENGTH = 6

/** The same of what stands in a header beside other things. */
const MIN_PART = 8
/** Secrets of one exchange that are looked for: each costs a look at all of its texts. */
const MAX_KNOWN = 50

/** As a secret stands in a text, in JSON, and in an address. */
export const formsOf = (secret: string): readonly string[] =>
  /^[\w.~-]+$/.test(secret)
    ? [secret]
    : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]

/** Words before a credential. */
const SCHEME = /^(?:bearer|basic|digest)\s+/i

/** The secrets of one exchange: what was removed in one place is removed wherever else it stands. */
export class Secrets {
  readonly #known: Set<string>
  #count = 0

  /** @param always secrets of the service itself, as `formsOf` gives them */
  constructor(always: readonly string[] = []) {
    this.#known = new Set(always)
  }

  /** There are more than are looked for. */
  get areTooMany(): boolean {
    return this.#count > MAX_KNOWN
  }

  add(value: string): void {
    const secret = value.trim()
    if (secret.length < MIN_LENGTH || secret === REMOVED || this.#known.has(secret)) return
    this.#count += 1
    if (this.areTooMany) return
    for (const form of formsOf(secret)) this.#known.add(form)
  }

  /** The value of a header such as Authorization or Cookie, with and without what stands before it. */
  addHeader(value: string): void {
    this.add(value.replace(SCHEME, ''))
    for (const part of value.split(/[\s;,]+/, MAX_KNOWN)) {
      if (part.length < MIN_PART) continue
      this.add(part)
      const credential = part.slice(part.indexOf('=') + 1)
      if (credential.length >= MIN_PART) this.add(credential)
    }
  }

  /** Of a cookie that is set: what stands after it is no secret. */
  addCookie(value: string): void {
    this.addHeader(value.split(';')[0] ?? '')
  }

  /** The text without them. */
  without(text: string): string {
    let left = text
    for (const secret of this.#known) if (left.includes(secret)) left = left.replaceAll(secret, REMOVED)
    const lower = left.toLowerCase()
    for (const { signs, form, instead } of FORMS) {
      if (signs.some((sign) => lower.includes(sign))) left = left.replace(form, instead)
    }
    return left
  }
}
