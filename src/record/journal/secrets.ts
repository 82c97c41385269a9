/** Recognition of secrets: by their name, by their form, and by their presence elsewhere in the same exchange. */
import { memoize } from '../../fhir/memoize.ts'
import { APART, lastRun, levelsOf, type Span, unescapedLevels } from './decoding.ts'

/** Replacement of a secret. */
export const REMOVED = '[removed]'

/** Parts of names, in lower case and without anything but letters and digits. */
const NAMES =
  /password|passwd|passphrase|pwd|secret|token|apikey|accesskey|privatekey|authorization|cookie|credential|assertion|sessionid|jwt/

/** Further parts of names of headers: signatures are as good as secrets while they are valid. */
const HEADERS = /auth|signature|session|key(?!words)|bearer/
/** The challenge of a server, and the keys under which requests are repeated: not secrets. */
const KNOWN_HEADERS: ReadonlySet<string> = new Set(['www-authenticate', 'proxy-authenticate', 'idempotency-key'])

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** Size of the cache of classified names. */
const REMEMBERED = 2_000

export const isSecretName = memoize(REMEMBERED, (name: string) => NAMES.test(folded(name)))

/** @param name in lower case */
export const isSecretHeader = memoize(
  REMEMBERED,
  (name: string) => !KNOWN_HEADERS.has(name) && (NAMES.test(folded(name)) || HEADERS.test(name)),
)

/** Every text in which NAMES finds something contains one of these: the search for them takes a tenth of the time. */
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
export const mayNameSecret = (text: string): boolean => NAMES.test(text.toLowerCase().replace(/[-_.+ ]/g, ''))

/**
 * A form of secrets. The token of a link that opens something is 32 characters (src/clinics/link-token.ts); any text in
 * its place counts as one. Each form begins at one place of a run only, or is bounded: no text takes longer than its
 * length.
 */
interface Form {
  /** In lower case: every text that has the form contains one of them. */
  readonly signs: readonly string[]
  /** Its first group is the secret, or else the whole match. */
  readonly form: RegExp
}

/** Values after the name of a secret that are not secrets: literals, and the word before a credential. */
const NO_VALUE = String.raw`(?!(?:null|true|false|bearer|basic)\b|\[removed)`

const FORMS: readonly Form[] = [
  { signs: ['eyj'], form: /(?<![\w-])eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/dg },
  { signs: ['whsec_'], form: /\bwhsec_[\w+/=-]+/dg },
  { signs: ['bearer', 'basic'], form: /\b(?:Bearer|Basic)(?:\s{1,9}|%20|\+)([\w.~+/=-]{8,})/dgi },
  {
    signs: ['/resume/', '/shared-reports/'],
    form: /\/(?:resume|shared-reports)\/(?!\[removed)([^/?#\s"'\\<>]+)/dgi,
  },
  {
    signs: ['resume', ...PIECES],
    // `name=value` and `name: value`, in an address or anywhere in a text.
    form: new RegExp(
      String.raw`(?:resume|password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credential|assertion|session[_-]?id|jwt)[\w.-]{0,64}["'\]]{0,2}\s{0,3}[=:]\s{0,3}["']?${NO_VALUE}([^&;#\s"'\\<>,)}\]]+)`,
      'dgi',
    ),
  },
  // The signature of an address that opens what it leads to.
  { signs: ['sig=', 'signature='], form: /[?&;](?:sig|[\w.-]{0,32}signature)=(?!\[removed)([^&;#\s"'\\<>]+)/dgi },
  // The user and password of a URL.
  { signs: ['@'], form: /:\/\/(?!\[removed)([^/?#\s"'\\<>@]{1,512})@/dg },
]

/** Shortest secret that is searched for elsewhere: shorter ones stand there by chance. */
const MIN_LENGTH = 6

/** Characters in which one of a secret is written at most, where its beginning is looked for in digits. */
const MAX_WRITTEN = 16

/** The shortest secret is taken to have no more. */
const LONGEST_SHORTEST = 64

/** The same of what stands in a header beside other things. */
const MIN_PART = 8
/** Most secrets of one exchange that are searched for: each costs a search of all of its texts. */
const MAX_KNOWN = 50

/** Size of the cache of forms: tokens and the secrets of the service recur. */
const REMEMBERED_FORMS = 500

/**
 * A secret as it stands in a text, at some level of its escapes (decoding.ts): as it is, as a form has it, as its bytes, and
 * without what looks like escapes in it.
 */
export const formsOf = memoize(REMEMBERED_FORMS, (secret: string): readonly string[] => {
  const written = [secret, secret.replaceAll(' ', '+'), Buffer.from(secret).toString('latin1')]
  const all = written.flatMap((form) => [...unescapedLevels(form)])
  return [...new Set(all)].filter((form) => form.length >= MIN_LENGTH)
})

/** Words before a credential. */
const SCHEME = /^(?:bearer|basic|digest)\s+/i

/** The secrets of one exchange: what was removed in one place is removed wherever else it stands, in whatever form. */
export class Secrets {
  readonly #known: Set<string>
  #finder: Finder | undefined
  /** Characters of the shortest form of one. */
  #shortest: number
  #count = 0

  /** @param always secrets of the service itself, as `formsOf` gives them */
  constructor(always: readonly string[] = []) {
    this.#known = new Set(always)
    this.#shortest = Math.min(LONGEST_SHORTEST, ...always.map((form) => form.length))
  }

  /** Whether there are more secrets than are searched for. */
  get areTooMany(): boolean {
    return this.#count > MAX_KNOWN
  }

  add(value: string): void {
    const secret = value.trim()
    if (secret.length < MIN_LENGTH || secret === REMOVED || this.#known.has(secret)) return
    this.#count += 1
    if (this.areTooMany) return
    for (const form of formsOf(secret)) {
      this.#known.add(form)
      this.#shortest = Math.min(this.#shortest, form.length)
    }
    this.#finder = undefined
  }

  /** Adds the value of a header such as Authorization or Cookie, with and without its scheme. */
  addHeader(value: string): void {
    const credentials = value.replace(SCHEME, '')
    this.add(credentials)
    if (/^basic\s/i.test(value)) this.#addBasic(credentials)
    for (const part of value.split(/[\s;,]+/, MAX_KNOWN)) {
      if (part.length < MIN_PART) continue
      this.add(part)
      const credential = part.slice(part.indexOf('=') + 1)
      if (credential.length >= MIN_PART) this.add(credential)
    }
  }

  /** Adds the password, as in https://www.rfc-editor.org/rfc/rfc7617: user and password. */
  #addBasic(credentials: string): void {
    const decoded = Buffer.from(credentials, 'base64').toString()
    this.add(decoded.slice(decoded.indexOf(':') + 1))
  }

  /** Adds the value of a Set-Cookie header: the attributes after it are not secret. */
  addCookie(value: string): void {
    this.addHeader(value.split(';')[0] ?? '')
  }

  /**
   * The text without known secrets, and without anything secret by its form or by the name before it.
   * @param isCut it is the beginning of a text: it may end within a secret
   */
  without(text: string, isCut = false): string {
    if (text.length < MIN_LENGTH) return text
    const spans = [...this.#spansIn(text), ...(isCut ? this.#begunIn(text) : [])]
    if (spans.length === 0) return text
    const parts: string[] = []
    let end = 0
    for (const span of merged(spans)) {
      parts.push(text.slice(end, span.start), REMOVED)
      end = span.end
    }
    parts.push(text.slice(end))
    return parts.join('')
  }

  /** Whether something would be removed. */
  areIn(text: string): boolean {
    return this.#spansIn(text).length > 0
  }

  /** The beginning of a secret at the end of the text, at any level of escapes. */
  #begunIn(text: string): readonly Span[] {
    const longest = Math.max(0, ...Iterator.from(this.#known).map((form) => form.length))
    for (const { text: level, sourceOf } of levelsOf(text, this.#shortest).levels) {
      const begun = this.#lastBegun(level, longest) ?? this.#begunInRun(level, longest)
      if (begun !== undefined) return [{ start: sourceOf({ start: begun, end: level.length }).start, end: text.length }]
    }
    return []
  }

  #lastBegun(text: string, longest: number): number | undefined {
    for (let start = Math.max(0, text.length - longest); start <= text.length - MIN_LENGTH; start += 1) {
      const end = text.slice(start)
      if (Iterator.from(this.#known).some((form) => form.startsWith(end))) return start
    }
    return undefined
  }

  /** Digits that end with the text may have been followed by more, so their last character may differ from the sent one. */
  #begunInRun(text: string, longest: number): number | undefined {
    const run = lastRun(text)
    if (run === undefined) return undefined
    const start = Math.max(run, text.length - MAX_WRITTEN * longest)
    const [, ...levels] = levelsOf(text.slice(start), MIN_LENGTH).levels
    const parts = levels.flatMap((level) => level.text.split(APART))
    const isBegun = (part: string) => this.#lastBegun(part, longest) !== undefined
    return parts.some((part) => isBegun(part) || isBegun(part.slice(0, -1))) ? start : undefined
  }

  /** All of a text that cannot be read to its last level. */
  #spansIn(text: string): readonly Span[] {
    const { levels, areAll } = levelsOf(text, this.#shortest)
    if (!areAll) return [{ start: 0, end: text.length }]
    this.#finder ??= new Finder(this.#known)
    const finder = this.#finder
    return levels.flatMap((level) => [...finder.find(level.text), ...formsIn(level.text)].map(level.sourceOf))
  }
}

function formsIn(text: string): readonly Span[] {
  const lower = text.toLowerCase()
  const spans: Span[] = []
  for (const { signs, form } of FORMS) {
    if (!signs.some((sign) => lower.includes(sign))) continue
    for (const { indices = [] } of text.matchAll(form)) {
      const [start, end] = indices[1] ?? indices[0] ?? [0, 0]
      spans.push({ start, end })
    }
  }
  return spans
}

/** In order; overlapping ones merged. */
function merged(spans: readonly Span[]): readonly Span[] {
  const found: Span[] = []
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = found.at(-1)
    if (last === undefined || span.start >= last.end) found.push(span)
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return found
}

/** Length of a text from which one pass over it is faster than a search for each of the words. */
const ONE_PASS = 2_000

/** Finds many words in a text in one pass: a table of pairs of characters says where one may begin. */
class Finder {
  readonly #words: readonly string[]
  #pairs: Pairs | undefined

  constructor(words: Iterable<string>) {
    this.#words = [...words]
  }

  find(text: string): readonly Span[] {
    return text.length < ONE_PASS ? this.#findEach(text) : this.#findAll(text)
  }

  #findEach(text: string): readonly Span[] {
    const spans: Span[] = []
    for (const word of this.#words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        spans.push({ start: at, end: at + word.length })
      }
    }
    return spans
  }

  #findAll(text: string): readonly Span[] {
    this.#pairs ??= pairsOf(this.#words)
    const { byPair, mayBegin } = this.#pairs
    const spans: Span[] = []
    let before = text.charCodeAt(0) & 0xff
    for (let at = 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at) & 0xff
      if (mayBegin[(before << 8) | code] === 1) {
        for (const word of byPair.get(text.slice(at - 1, at + 1)) ?? []) {
          if (text.startsWith(word, at - 1)) spans.push({ start: at - 1, end: at - 1 + word.length })
        }
      }
      before = code
    }
    return spans
  }
}

interface Pairs {
  /** The words that begin with the pair. */
  readonly byPair: ReadonlyMap<string, readonly string[]>
  /** By the low bytes of two characters: 1 where a word may begin. */
  readonly mayBegin: Uint8Array
}

function pairsOf(words: readonly string[]): Pairs {
  const mayBegin = new Uint8Array(65_536)
  for (const word of words) mayBegin[((word.charCodeAt(0) & 0xff) << 8) | (word.charCodeAt(1) & 0xff)] = 1
  return { byPair: Map.groupBy(words, (word) => word.slice(0, 2)), mayBegin }
}
