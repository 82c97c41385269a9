/**
 * Texts without their escapes, one level at a time, with the places in the text that they come from: percent-encoding and forms,
 * JSON and JavaScript, XML, UTF-16 that was read as another encoding. What is secret is looked for at each level.
 */

/** Levels that are taken off: an address in JSON in a text of JSON, and some to spare. */
const MAX_LEVELS = 8

/** A `+` alone is not an escape: times contain it too. */
const ESCAPES = /[%\\&\0]|<!|<\?|\]\]>/

/** One level of a text. */
export interface Level {
  readonly text: string
  /** Where a character of it begins in the text that was given; its length leads to the end. */
  readonly sourceOf: (index: number) => number
}

/** The text itself, and with one level of escapes less after the other, until there are none. */
export function* levelsOf(text: string): Generator<Level> {
  let level: Level = { text, sourceOf: (index) => index }
  yield level
  for (let count = 0; count < MAX_LEVELS && ESCAPES.test(level.text); count += 1) {
    const { text: before, sourceOf } = level
    const decoded = new Decoding(before).run()
    if (decoded.text === before) return
    level = { text: decoded.text, sourceOf: (index) => sourceOf(decoded.sourceOf(index)) }
    yield level
  }
}

/** Without any escapes. */
export function canonical(text: string): string {
  let last = text
  for (const level of levelsOf(text)) last = level.text
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
const NEXT = /[%\\&+\0<\]]/g

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
    while (at < this.#text.length) {
      NEXT.lastIndex = at
      const next = NEXT.exec(this.#text)?.index ?? this.#text.length
      if (next > at) this.#add(this.#text.slice(at, next), at, true)
      at = next < this.#text.length ? this.#escape(next) : next
    }
    return { text: this.#parts.join(''), sourceOf: (index) => this.#sourceOf(index) }
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
      case '+':
        this.#add(' ', at, false)
        return at + 1
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
      if (found >= 0) return found + end.length
      this.#endless.add(start)
    }
    return this.#copied(at)
  }

  #sourceOf(index: number): number {
    if (index >= this.#length) return this.#text.length
    let [low, high] = [0, this.#pieces.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#pieces[middle]?.at ?? 0) <= index) low = middle
      else high = middle - 1
    }
    const piece = this.#pieces[low]
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
