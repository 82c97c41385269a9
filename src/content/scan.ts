/**
 * Finds long base64 in a body while it arrives, piece by piece, without parsing it: the value of `data`, where it is
 * long and begins as base64, is separated from the rest, which passes unchanged. Pieces may break anywhere.
 *
 * The full grammar is not needed, since in a valid body the pattern cannot occur elsewhere: the quotes of a name are
 * escaped within a string of JSON, and `<` within an attribute of XML. An invalid body stays invalid, and is refused
 * when its rest is parsed.
 */
import { Base64Decoder, NotBase64 } from './base64.ts'

export type Scanned =
  /** A part of the body, unchanged. */
  | { readonly kind: 'text'; readonly bytes: Buffer }
  /** Decoded bytes. */
  | { readonly kind: 'content'; readonly bytes: Buffer }
  /** The content is complete. */
  | { readonly kind: 'end' }
  /** The place of the marker in the text. */
  | { readonly kind: 'marker' }

/** The syntax of `data` in a format. */
export interface ContentSyntax {
  /** Its first bytes. */
  readonly key: Buffer
  /** Bytes of which one precedes the key; absent: any. */
  readonly before?: ReadonlySet<number>
  /** A byte that no value contains. */
  readonly outside: number
  /** Everything up to the value; it ends with the quote that also ends the value. */
  readonly lead: RegExp
  /** A beginning of `lead`. */
  readonly unfinishedLead: RegExp
  /** The part of the lead that stays in the text. */
  readonly keptOf: (lead: string) => string
  readonly escapes: Escapes
  /**
   * From the end of the value to the place of the marker; the first group stays before the marker, and `closing` of the
   * match after it.
   */
  readonly rest: RegExp
  readonly unfinishedRest: RegExp
  readonly closing: (match: RegExpExecArray) => string
  readonly marker: (sha256: string) => string
}

interface Escapes {
  readonly pattern: RegExp
  /** An unfinished escape at the end of a piece. */
  readonly unfinished: RegExp
  /** The meaning of an escape; any other character where it is not one of base64. */
  readonly meaning: (written: string, ...groups: readonly (string | undefined)[]) => string
}

/** Most characters of base64 that stay in the text of a resource; longer values go to the content storage. */
export const INLINE_BYTES = 16 * 1024

/** Most bytes before a value, and after it: names, other attributes and white space. */
const MOST_AROUND = 1024

/**
 * Lines of base64 are longer. Shorter words are numbers, such as those of SampledData.data, which is not base64 and
 * whose spaces are significant.
 */
const SHORTEST_LINE = 16

const EMPTY = Buffer.alloc(0)

export class ContentScanner {
  readonly #syntax: ContentSyntax
  #state: 'text' | 'content' | 'rest' = 'text'
  /** Bytes that are judged when more have arrived. */
  #held: Buffer = EMPTY
  /** The byte before them. */
  #last = -1
  #quote = ''
  #decoder = new Base64Decoder()
  #escape = ''
  #hasBytes = false
  #broken: NotBase64 | undefined

  constructor(syntax: ContentSyntax) {
    this.#syntax = syntax
  }

  /** The error of the first long `data` that is not base64 and was passed through. */
  get broken(): NotBase64 | undefined {
    return this.#broken
  }

  /** @throws NotBase64 for a content that began as base64 */
  *push(bytes: Uint8Array): Generator<Scanned> {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let left = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece])
    this.#held = EMPTY
    while (left.length > 0) {
      if (this.#state === 'text') left = yield* this.#text(left)
      else if (this.#state === 'content') left = yield* this.#content(left)
      else left = yield* this.#rest(left)
    }
  }

  /** The body is complete. @throws NotBase64 when it ends within a content */
  *end(): Generator<Scanned> {
    if (this.#state === 'content') throw this.#notBase64(this.#decoder.end.bind(this.#decoder))
    if (this.#held.length > 0) yield { kind: 'text', bytes: this.#held }
  }

  /** Passes text on together, however often it resembles a content. */
  *#text(bytes: Buffer): Generator<Scanned, Buffer> {
    const { key } = this.#syntax
    for (let at = this.#find(bytes, 0); at !== -1; at = this.#find(bytes, at + key.length)) {
      const candidate = bytes.subarray(at)
      const lead = this.#leadOf(candidate)
      if (lead === undefined) continue
      yield* this.#passed(bytes.subarray(0, at))
      if (lead === 'unfinished') return this.#hold(candidate)
      yield* this.#passed(Buffer.from(this.#syntax.keptOf(lead), 'latin1'))
      this.#state = 'content'
      this.#quote = lead.slice(-1)
      this.#decoder = new Base64Decoder()
      this.#hasBytes = false
      return candidate.subarray(lead.length)
    }
    const kept = bytes.length - beginningAtEnd(bytes, key)
    this.#held = bytes.subarray(kept)
    yield* this.#passed(bytes.subarray(0, kept))
    return EMPTY
  }

  /** The lead of a content; undefined where there is none. */
  #leadOf(candidate: Buffer): string | 'unfinished' | undefined {
    const head = candidate.toString('latin1', 0, MOST_AROUND)
    const lead = this.#syntax.lead.exec(head)?.[0]
    if (lead === undefined) {
      return head.length < MOST_AROUND && this.#syntax.unfinishedLead.test(head) ? 'unfinished' : undefined
    }
    const end = candidate.indexOf(lead.slice(-1), lead.length)
    const length = (end === -1 ? candidate.length : end) - lead.length
    if (length <= INLINE_BYTES) return end === -1 ? 'unfinished' : undefined
    return this.#isBase64(candidate.toString('latin1', lead.length, lead.length + INLINE_BYTES)) ? lead : undefined
  }

  *#content(bytes: Buffer): Generator<Scanned, Buffer> {
    const end = bytes.indexOf(this.#quote)
    const isComplete = end !== -1
    const written = this.#escape + bytes.toString('latin1', 0, isComplete ? end : bytes.length)
    const { unescaped, unfinished } = isComplete
      ? { unescaped: this.#unescape(written), unfinished: '' }
      : this.#unescapePiece(written)
    this.#escape = unfinished
    const decoded = this.#decoder.push(unescaped)
    if (decoded.length > 0) yield this.#decoded(decoded)
    if (!isComplete) return EMPTY
    const last = this.#decoder.end()
    if (last.length > 0) yield this.#decoded(last)
    if (!this.#hasBytes) throw new NotBase64(1, 'it is nothing but white space')
    yield { kind: 'end' }
    this.#state = 'rest'
    const behind = bytes.subarray(end + 1)
    // Where nothing needs to follow the value, the marker is due at once.
    return behind.length > 0 ? behind : yield* this.#rest(behind)
  }

  #decoded(bytes: Buffer): Scanned {
    this.#hasBytes = true
    return { kind: 'content', bytes }
  }

  *#rest(bytes: Buffer): Generator<Scanned, Buffer> {
    const head = bytes.toString('latin1', 0, MOST_AROUND)
    const found = this.#syntax.rest.exec(head)
    if (found === null && head.length < MOST_AROUND && this.#syntax.unfinishedRest.test(head)) return this.#hold(bytes)
    this.#state = 'text'
    if (found === null) return yield* this.#passedAll(bytes)
    yield* this.#passed(Buffer.from(found[1] ?? '', 'latin1'))
    yield { kind: 'marker' }
    yield* this.#passed(Buffer.from(this.#syntax.closing(found), 'latin1'))
    return bytes.subarray(found[0].length)
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = bytes
    return EMPTY
  }

  *#passedAll(bytes: Buffer): Generator<Scanned, Buffer> {
    yield* this.#passed(bytes)
    return EMPTY
  }

  *#passed(bytes: Buffer): Generator<Scanned, void> {
    const last = bytes.at(-1)
    if (last === undefined) return
    this.#last = last
    yield { kind: 'text', bytes }
  }

  /**
   * The key of the next value that may be long; -1 where there is none. A content contains no `outside` byte after the
   * longest lead, so thousands of short values are skipped in one step.
   */
  #find(bytes: Buffer, from: number): number {
    const { key, before, outside } = this.#syntax
    for (let at = bytes.indexOf(key, from); at !== -1; ) {
      const firstLong = bytes.lastIndexOf(outside, at + INLINE_BYTES) - MOST_AROUND + 1
      const isLong = firstLong <= at
      if (isLong && (before === undefined || before.has(at === 0 ? this.#last : (bytes[at - 1] ?? -1)))) return at
      at = bytes.indexOf(key, isLong ? at + 1 : firstLong)
    }
    return -1
  }

  /** Judges by the beginning. */
  #isBase64(written: string): boolean {
    const { unescaped } = this.#unescapePiece(written)
    const words = unescaped.split(/[ \t\r\n\f\v]+/)
    // The last word may continue, and white space may come first.
    if (words.slice(0, -1).some((word) => word !== '' && word.length < SHORTEST_LINE)) return false
    try {
      new Base64Decoder().push(unescaped)
      return true
    } catch (error) {
      if (!(error instanceof NotBase64)) throw error
      this.#broken ??= error
      return false
    }
  }

  #unescapePiece(written: string): { readonly unescaped: string; readonly unfinished: string } {
    const unfinished = this.#syntax.escapes.unfinished.exec(written.slice(-LONGEST_ESCAPE))?.[0] ?? ''
    return { unescaped: this.#unescape(written.slice(0, written.length - unfinished.length)), unfinished }
  }

  #unescape(written: string): string {
    const { pattern, meaning } = this.#syntax.escapes
    return written.replace(pattern, meaning)
  }

  #notBase64(end: () => unknown): NotBase64 {
    try {
      end()
    } catch (error) {
      if (error instanceof NotBase64) return error
    }
    return new NotBase64(0, 'the body ends within it')
  }
}

const LONGEST_ESCAPE = 12

/** The number of last bytes that are a beginning of `key`. */
function beginningAtEnd(bytes: Buffer, key: Buffer): number {
  for (let length = Math.min(key.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(key.subarray(0, length))) return length
  }
  return 0
}
