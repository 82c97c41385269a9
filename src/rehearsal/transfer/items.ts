/**
 * The parts of an import as they arrive: lines of NDJSON (https://github.com/ndjson/ndjson-spec) and entries of a Bundle,
 * without keeping more of the body in memory than one of them.
 */
import { badRequest } from '../../fhir/outcome.ts'

/** A resource of an import. */
export interface Item {
  /** The number of its line, from 1, or of its entry, from 0. */
  readonly number: number
  /** Absent: it has more bytes than one may have. */
  readonly bytes?: Buffer
  /** Bytes before a line, and with it. */
  readonly from?: number
  readonly to?: number
}

/** Splits a body into items. @param most bytes of one */
export type Splitter = (pieces: AsyncIterable<Buffer>, most: number) => AsyncGenerator<Item>

/** Bytes that are part of one item, of which no more than `most` are kept. */
class Kept {
  readonly #most: number
  #pieces: Buffer[] = []
  size = 0

  constructor(most: number) {
    this.#most = most
  }

  add(piece: Buffer): void {
    this.size += piece.length
    if (this.size > this.#most) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  /** The item of these bytes; the next one begins. */
  take(number: number): Item {
    const isTooLong = this.size > this.#most
    const bytes = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.size = 0
    return isTooLong ? { number } : { number, bytes }
  }
}

const NEWLINE = 0x0a

/** Where reading begins: the number of the line, and the bytes before it. */
const BEGINNING = { number: 1, at: 0 }

/** Empty lines are counted, and are no items. */
export async function* linesOf(pieces: AsyncIterable<Buffer>, most: number, begin = BEGINNING): AsyncGenerator<Item> {
  const kept = new Kept(most)
  let { number, at } = begin
  const take = (newline: number): Item => {
    const [from, to] = [at, at + kept.size + newline]
    at = to
    return { ...kept.take(number), from, to }
  }
  for await (const piece of pieces) {
    let start = 0
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      kept.add(piece.subarray(start, end))
      const item = take(1)
      if (!isBlank(item)) yield item
      number += 1
      start = end + 1
    }
    kept.add(piece.subarray(start))
  }
  const last = take(0)
  if (!isBlank(last)) yield last
}

const isBlank = ({ bytes }: Item): boolean => bytes?.every(isSpace) ?? false

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The types of Bundles that are imported: https://hl7.org/fhir/R4/valueset-bundle-type.html. */
const BUNDLE_TYPES = ['collection', 'batch', 'transaction']

/** @throws FhirError 400 for what is no Bundle of these types, or ends too early */
export async function* entriesOf(pieces: AsyncIterable<Buffer>, most: number): AsyncGenerator<Item> {
  const scanner = new BundleScanner(most)
  for await (const piece of pieces) yield* scanner.read(piece)
  scanner.end()
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
const [COLON, COMMA] = [0x3a, 0x2c]

/** Characters of the names and values of a Bundle that are told apart. */
const MOST_SHOWN = 64

/** Depth within the Bundle: 1 among its properties, 2 among its entries. */
const [BUNDLE, ENTRIES] = [1, 2]

/** Finds the entries of a Bundle byte by byte; whether each is valid JSON is seen when it is parsed. */
class BundleScanner {
  readonly #kept: Kept
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** The last text, name or value, among the properties of the Bundle. */
  #text = ''
  /** The property whose value comes. */
  #name = ''
  readonly #properties = new Map<string, string>()
  #isInEntries = false
  #isInEntry = false
  #number = 0
  #isEnded = false

  constructor(most: number) {
    this.#kept = new Kept(most)
  }

  *read(piece: Buffer): Generator<Item> {
    let start = 0
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0
      const wasInEntry = this.#isInEntry
      const isAtEnd = this.#see(byte)
      if (!wasInEntry && this.#isInEntry) start = at
      if (!isAtEnd) continue
      // The brace that closes an entry belongs to it; the comma or bracket behind another value does not.
      this.#kept.add(piece.subarray(start, byte === CLOSE_OBJECT ? at + 1 : at))
      this.#isInEntry = false
      yield this.#kept.take(this.#number)
      this.#number += 1
    }
    if (this.#isInEntry) this.#kept.add(piece.subarray(start))
  }

  /** @throws FhirError 400 */
  end(): void {
    if (!this.#isEnded) throw badRequest('The body ends before the Bundle does')
    this.#checkType()
  }

  /** Whether an entry ends with this byte, or before it. */
  #see(byte: number): boolean {
    if (this.#isInString) return this.#seeInString(byte)
    if (isSpace(byte)) return false
    if (this.#isEnded) throw badRequest('The body goes on behind the Bundle')
    if (this.#depth === 0 && byte !== OPEN_OBJECT) throw badRequest('The body is no Bundle in JSON')
    if (this.#isBetween && byte !== COMMA && byte !== CLOSE_ARRAY) this.#isInEntry = true
    switch (byte) {
      case QUOTE:
        this.#isInString = true
        this.#text = ''
        return false
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        return this.#open(byte)
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        return this.#close()
      case COLON:
        if (this.#depth === BUNDLE) this.#name = this.#text
        return false
      case COMMA:
        return this.#endOfValue()
      default:
        return false
    }
  }

  #seeInString(byte: number): false {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
    else if (this.#depth === BUNDLE && this.#text.length < MOST_SHOWN) this.#text += String.fromCharCode(byte)
    return false
  }

  #open(byte: number): false {
    if (this.#depth === BUNDLE && byte === OPEN_ARRAY && this.#name === 'entry') {
      this.#checkType()
      this.#isInEntries = true
    }
    this.#depth += 1
    return false
  }

  #close(): boolean {
    const isLoneValue = this.#isBetween && this.#isInEntry
    if (this.#depth === BUNDLE) this.#endOfValue()
    this.#depth -= 1
    if (this.#depth === BUNDLE) this.#isInEntries = false
    this.#isEnded = this.#depth === 0
    return isLoneValue || (this.#isInEntry && this.#isBetween)
  }

  #endOfValue(): boolean {
    if (this.#depth === BUNDLE) {
      if (this.#text !== this.#name) this.#properties.set(this.#name, this.#text)
      this.#name = ''
    }
    return this.#isBetween && this.#isInEntry
  }

  /** In the list of entries, and in none of their values. */
  get #isBetween(): boolean {
    return this.#isInEntries && this.#depth === ENTRIES
  }

  #checkType(): void {
    const [resourceType = '', type = ''] = ['resourceType', 'type'].map((name) => this.#properties.get(name))
    if (resourceType !== 'Bundle')
      throw badRequest(`The body must be a Bundle, and say so before its entries: "resourceType": "Bundle"`)
    if (BUNDLE_TYPES.includes(type)) return
    throw badRequest(
      `The Bundle has the type '${type}'; an import takes ${BUNDLE_TYPES.join(', ')}, and the type before the entries, as it reads them while they arrive`,
      { expression: 'Bundle.type' },
    )
  }
}

/** Items, and bytes together, of one change; a single item may be larger. */
const MOST_AT_ONCE = { items: 100, bytes: 1024 * 1024 }

/** Items that are written together: see docs/imports.md. */
export async function* batchesOf(
  items: AsyncIterable<Item> | Iterable<Item>,
  most = MOST_AT_ONCE,
): AsyncGenerator<readonly Item[]> {
  let [batch, bytes]: [Item[], number] = [[], 0]
  for await (const item of items) {
    const size = item.bytes?.length ?? 0
    if (batch.length > 0 && (batch.length === most.items || bytes + size > most.bytes)) {
      yield batch
      ;[batch, bytes] = [[], 0]
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
