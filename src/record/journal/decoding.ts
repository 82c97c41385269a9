/**
 * Texts without their escapes, one level at a time, with the places in the text that they come from: percent-encoding, JSON and
 * JavaScript, XML, UTF-16 that was read as another encoding, base64 and hexadecimal digits (runs.ts), one in another in any order.
 * Secrets are searched for at each level.
 */
import { APART, decodedRuns, type Level, lastUpTo } from './runs.ts'

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
