/**
 * Texts without their escapes, one level at a time, with the places in the text that they come from: percent-encoding, JSON and
 * JavaScript, XML, UTF-16 that was read as another encoding, base64 and hexadecimal digits (https://www.rfc-editor.org/rfc/rfc4648), one in another in any order.
 * Secrets are searched for at each level.
 */

/** Levels that are taken off: an address in JSON in a text of JSON, and some to spare. */
const MAX_LEVELS = 8

/** Characters that all levels have together, at most, for each of the text, and for the shortest one. */
const MAX_GROWTH = 8
const MIN_WORK = 10_000

const ESCAPES = /[%\\&\0]|<!|<\?|\]\]>/

export interface Levels {
  readonly levels: readonly Level[]
  /** False where there are more, which were not read: there may be anything in them. */
  readonly areAll: boolean
}

/**
 * The text itself, and what it is with one level of escapes less, in every order of decoding.
 * @param shortest characters of a text that is looked for
 */
export function levelsOf(text: string, shortest: number): Levels {
  const levels: Level[] = [{ text, sourceOf: (span) => span }]
  const depths = [0]
  let left = Math.max(MIN_WORK, MAX_GROWTH * text.length)
  for (const [index, level] of levels.entries()) {
    const depth = (depths[index] ?? 0) + 1
    for (const inner of innerOf(level, shortest)) {
      left -= inner.text.length
      if (left < 0 || depth > MAX_LEVELS) return { levels, areAll: false }
      levels.push({ text: inner.text, sourceOf: (span) => level.sourceOf(inner.sourceOf(span)) })
      depths.push(depth)
    }
  }
  return { levels, areAll: true }
}

/** The next levels of a text, with places in it. */
function innerOf({ text }: Level, shortest: number): readonly Level[] {
  return [withoutEscapes(text), decodedRuns(text, shortest)].filter((level) => level !== undefined)
}

/** Undefined for a text that has none. */
function withoutEscapes(text: string): Level | undefined {
  if (!ESCAPES.test(text)) return undefined
  const decoded = new Decoding(text).run()
  return decoded.text === text ? undefined : decoded
}

/** The text, and with one level of escapes less after the other, until there are none. */
export function* unescapedLevels(text: string): Generator<string> {
  let level: string | undefined = text
  for (let count = 0; count <= MAX_LEVELS && level !== undefined; count += 1) {
    yield level
    level = withoutEscapes(level)?.text
  }
}

/** Without any escapes. */
export function canonical(text: string): string {
  let last = text
  for (const level of unescapedLevels(text)) last = level
  return last
}

const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Parts within a value that belong to none: their end is searched for only while there is one. */
const IGNORED = [
  { start: '<!--', end: '-->' },
  { start: '<?', end: '?>' },
] as const

const PERCENT = /(?:%[\da-f]{2})+/iy
const BACKSLASH = /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|([^ux]))/isy
const ENTITY = /&(?:#x0{0,20}([\da-f]{1,6})|#0{0,20}(\d{1,7})|(amp|lt|gt|quot|apos));/iy
const NEXT = /[%\\&<\]]/g
/** They stand within other escapes, and go first. */
const ZERO = /\0/g

class Decoding {
  readonly #text: string
  readonly #parts: string[] = []
  /** Where pieces begin in what is decoded and in the text, and whether all characters of a piece are as they were. */
  readonly #pieces: { readonly at: number; readonly source: number; readonly isCopy: boolean }[] = []
  readonly #endless = new Set<string>()
  #length = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): Level {
    let at = 0
    const pattern = this.#text.includes('\0') ? ZERO : NEXT
    while (at < this.#text.length) {
      pattern.lastIndex = at
      const next = pattern.exec(this.#text)?.index ?? this.#text.length
      if (next > at) this.#add(this.#text.slice(at, next), at, true)
      at = next < this.#text.length ? this.#escape(next) : next
    }
    return {
      text: this.#parts.join(''),
      sourceOf: ({ start, end }) => ({ start: this.#sourceOf(start), end: this.#sourceOf(end) }),
    }
  }

  #add(decoded: string, source: number, isCopy: boolean): void {
    if (decoded === '') return
    this.#pieces.push({ at: this.#length, source, isCopy })
    this.#parts.push(decoded)
    this.#length += decoded.length
  }

  /** @returns the position after the escape */
  #escape(at: number): number {
    switch (this.#text[at]) {
      case '%':
        return this.#percent(at)
      case '\\':
        return this.#backslash(at)
      case '&':
        return this.#entity(at)
      case '\0':
        return at + 1
      default:
        return this.#markup(at)
    }
  }

  #copied(at: number): number {
    this.#add(this.#text[at] ?? '', at, true)
    return at + 1
  }

  #percent(at: number): number {
    const run = matchAt(PERCENT, this.#text, at)?.[0]
    if (run === undefined) return this.#copied(at)
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
    const utf8 = bytes.toString('utf8')
    let source = at
    for (const character of utf8.includes('\ufffd') ? bytes.toString('latin1') : utf8) {
      this.#add(character, source, false)
      source += 3 * (utf8.includes('\ufffd') ? 1 : Buffer.byteLength(character))
    }
    return at + run.length
  }

  #backslash(at: number): number {
    const [whole, four, braces, two, simple] = matchAt(BACKSLASH, this.#text, at) ?? []
    if (whole === undefined) return this.#copied(at)
    const code = four ?? braces ?? two
    this.#add(code === undefined ? (SIMPLE[simple ?? ''] ?? simple ?? '') : characterOf(code, 16), at, false)
    return at + whole.length
  }

  #entity(at: number): number {
    const [whole, hex, decimal, name] = matchAt(ENTITY, this.#text, at) ?? []
    if (whole === undefined) return this.#copied(at)
    const number = hex === undefined ? decimal && characterOf(decimal, 10) : characterOf(hex, 16)
    this.#add(number ?? ENTITIES[name?.toLowerCase() ?? ''] ?? '', at, false)
    return at + whole.length
  }

  #markup(at: number): number {
    for (const fence of ['<![CDATA[', ']]>']) if (this.#text.startsWith(fence, at)) return at + fence.length
    for (const { start, end } of IGNORED) {
      if (!this.#text.startsWith(start, at) || this.#endless.has(start)) continue
      const found = this.#text.indexOf(end, at + start.length)
      if (found < 0) this.#endless.add(start)
      // XML has no such character: what it parts are two texts.
      else if (!this.#text.slice(at, found).includes(APART)) return found + end.length
    }
    return this.#copied(at)
  }

  #sourceOf(index: number): number {
    if (index >= this.#length) return this.#text.length
    const piece = this.#pieces[lastUpTo(this.#pieces, index)]
    if (piece === undefined) return 0
    return piece.isCopy ? piece.source + index - piece.at : piece.source
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function characterOf(digits: string, base: 10 | 16): string {
  const code = Number.parseInt(digits, base)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ' '
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** One level of a text. */
interface Level {
  readonly text: string
  /** Where a part of it stands in the text that was given. */
  readonly sourceOf: (span: Span) => Span
}

/** Separates texts that are searched as one: no run, no comment and no secret continues behind it. XML has no such character. */
export const APART = '\u0001'

/** The index of the last one that begins there or before. */
function lastUpTo(pieces: readonly { readonly at: number }[], index: number): number {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pieces[middle]?.at ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}

interface Encoding {
  readonly name: 'base64' | 'hex'
  /** By character code: DIGIT, BETWEEN or neither. */
  readonly kinds: Uint8Array
  /** Digits that make a group of whole bytes, and the bytes of it. */
  readonly digits: number
  readonly bytes: number
  /** A digit of which no text is made, wherever a byte begins. */
  readonly filler: string
}

const DIGIT = 1
const BETWEEN = 2

/** Characters of what is taken for the beginning of a secret where a text is cut. */
const LEAST_BEGUN = 6

function kindsOf(digits: RegExp, between: string): Uint8Array {
  const kinds = new Uint8Array(65_536)
  for (let code = 0; code < 128; code += 1) {
    const character = String.fromCharCode(code)
    if (digits.test(character)) kinds[code] = DIGIT
    else if (between.includes(character)) kinds[code] = BETWEEN
  }
  return kinds
}

const ENCODINGS: readonly Encoding[] = [
  { name: 'base64', kinds: kindsOf(/[\w+/-]/, '\r\n'), digits: 4, bytes: 3, filler: '/' },
  { name: 'hex', kinds: kindsOf(/[\da-f]/i, '\r\n:- '), digits: 2, bytes: 1, filler: 'f' },
]

/** Between two runs no text goes on. */
const GROUPS_BETWEEN = 2

/** Characters of UTF-8 as its bytes, and those of UTF-16 that have a zero. */
const PRINTED = String.raw`[\0\t\n\r\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\xa0-\xff]\0|\0[\xa0-\xff]`
const printed = Array.from({ length: 65 }, (_none, count) => new RegExp(`(?:${PRINTED}){${count},}`, 'g'))

interface Piece {
  /** The index of its first character in the decoded text. */
  readonly at: number
  readonly source: (index: number) => Span
}

/**
 * The texts that runs of base64 and of hexadecimal digits stand for, with line breaks and separators, of either alphabet and
 * letter case, and wherever in a run the text begins, as one; undefined where there are none. Each byte is a character.
 * @param shortest characters of a text that is looked for
 */
function decodedRuns(text: string, shortest: number): Level | undefined {
  const parts: string[] = []
  const pieces: Piece[] = []
  let length = 0
  const add = (part: string, source: Piece['source']) => {
    pieces.push({ at: length, source })
    parts.push(part, APART)
    length += part.length + APART.length
  }
  for (const encoding of ENCODINGS) addRuns({ text, encoding, shortest }, add)
  if (parts.length === 0) return undefined
  return {
    text: parts.join(''),
    sourceOf: ({ start, end }) => ({ start: sourceAt(pieces, start).start, end: sourceAt(pieces, end - 1).end }),
  }
}

function sourceAt(pieces: readonly Piece[], index: number): Span {
  const piece = pieces[lastUpTo(pieces, index)]
  return piece === undefined ? { start: 0, end: 0 } : piece.source(index - piece.at)
}

interface Sought {
  readonly text: string
  readonly encoding: Encoding
  readonly shortest: number
}

/** All runs are decoded together, once for each digit with which a byte may begin. */
function addRuns(sought: Sought, add: (part: string, source: Piece['source']) => void): void {
  const { name, digits, bytes } = sought.encoding
  const { joined, runs } = joinedRuns(sought)
  if (runs.length === 0) return
  const parts = printed[Math.min(sought.shortest, printed.length - 1)] ?? /./g
  for (let shift = 0; shift < digits; shift += 1) {
    const decoded = Buffer.from(joined.slice(shift), name).toString('latin1')
    for (const { 0: part, index } of decoded.matchAll(parts)) {
      add(part, (at) => runs[lastUpTo(runs, Math.floor(((index + at) * digits) / bytes) + shift)] ?? NOWHERE)
    }
  }
}

const NOWHERE: Span = { start: 0, end: 0 }

type FoundRun = Span & { readonly isPure: boolean }

interface Run extends Span {
  /** Where its digits begin among those of all. */
  readonly at: number
}

function joinedRuns({ text, encoding, shortest }: Sought): { readonly joined: string; readonly runs: readonly Run[] } {
  const { digits, bytes, filler } = encoding
  const runs: Run[] = []
  let joined = ''
  for (const { start, end, isPure } of runsIn(text, encoding, (shortest * digits) / bytes)) {
    runs.push({ start, end, at: joined.length })
    const written = text.slice(start, end)
    joined += isPure ? written : digitsOf(written, encoding)
    joined += filler.repeat(GROUPS_BETWEEN * digits - (joined.length % digits))
  }
  return { joined, runs }
}

const digitsOf = (written: string, { kinds }: Encoding): string =>
  [...written].filter((character) => kinds[character.charCodeAt(0)] === DIGIT).join('')

function runsIn(text: string, { kinds }: Encoding, least: number): readonly FoundRun[] {
  const runs: FoundRun[] = []
  let [start, end, count] = [0, 0, 0]
  const close = () => {
    if (count >= least) runs.push({ start, end, isPure: count === end - start })
    count = 0
  }
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)]
    if (kind === DIGIT) {
      if (count === 0) start = at
      count += 1
      end = at + 1
    } else if (kind === 0 && count > 0) close()
  }
  close()
  return runs
}

/** Where a run begins with which the text ends: undefined where it ends with none. */
export function lastRun(text: string): number | undefined {
  const starts = ENCODINGS.flatMap((encoding) =>
    runsIn(text, encoding, (LEAST_BEGUN * encoding.digits) / encoding.bytes)
      .filter(({ end }) => end === text.length)
      .map(({ start }) => start),
  )
  return starts.length === 0 ? undefined : Math.min(...starts)
}
