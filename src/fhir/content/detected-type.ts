/** The type of bytes, whatever their declared type: by their first bytes, as in https://mimesniff.spec.whatwg.org/. */
import { SaxesParser, type SaxesTagNS } from 'saxes'

/** JSON, as it is stored with the content. */
export interface DetectedType {
  /** The media type with such signatures, e.g. `application/pdf`; undefined when there is none, as in plain text. */
  readonly type: string | undefined
  /** Text in UTF-8. No text contains a NUL, except ASCII that is sent as UTF-16. */
  readonly isUtf8: boolean
  readonly isEmpty: boolean
  /** For a PDF: `%%EOF` is near its end, so it was not cut off. */
  readonly isCompletePdf?: boolean
  /** For bytes that begin like XML. */
  readonly xml?: XmlVerdict
  /** For XML: the root element as `{namespace}name`. */
  readonly xmlRoot?: string
}

/** Bytes that are kept from the beginning; the last signature below ends at byte 132. */
const HEAD_BYTES = 512
/** Bytes that are kept from the end: readers of PDF look for the trailer there. */
const TAIL_BYTES = 1024

interface Signature {
  readonly type: string
  /** In hexadecimal; `.` for any digit. */
  readonly bytes: string
  /** Offset of the bytes; absent: 0. */
  readonly at?: number
}

const SIGNATURES: readonly Signature[] = [
  { type: 'application/pdf', bytes: '255044462d' },
  // After a byte order mark.
  { type: 'application/pdf', bytes: '255044462d', at: 3 },
  { type: 'text/rtf', bytes: '7b5c727466' },
  { type: 'image/png', bytes: '89504e470d0a1a0a' },
  { type: 'image/jpeg', bytes: 'ffd8ff' },
  { type: 'image/gif', bytes: '47494638' },
  { type: 'image/tiff', bytes: '49492a00' },
  { type: 'image/tiff', bytes: '4d4d002a' },
  { type: 'image/bmp', bytes: '424d........00000000' },
  { type: 'image/webp', bytes: '52494646........57454250' },
  { type: 'audio/wav', bytes: '52494646........57415645' },
  { type: 'audio/mpeg', bytes: '49443303' },
  { type: 'audio/mpeg', bytes: 'fffb' },
  { type: 'audio/ogg', bytes: '4f67675300' },
  { type: 'video/mp4', bytes: '66747970', at: 4 },
  { type: 'application/dicom', bytes: '4449434d', at: 128 },
  { type: 'application/zip', bytes: '504b0304' },
  // An archive without files.
  { type: 'application/zip', bytes: '504b0506' },
  { type: 'application/gzip', bytes: '1f8b08' },
  { type: 'application/x-ole-storage', bytes: 'd0cf11e0a1b11ae1' },
]

const signatures = SIGNATURES.map(({ type, bytes, at = 0 }) => ({ type, at, pattern: new RegExp(`^${bytes}`) }))

const XHTML_ROOT = '{http://www.w3.org/1999/xhtml}html'
const HTML_START = /^(\uFEFF)?\s*(<!--.{0,200}?-->\s*)?<(!doctype\s+html|html)\b/is
const XML_START = /^(\uFEFF)?\s*<[?!_:\p{L}]/u
const XML_DECLARATION = /^\uFEFF?<\?xml\s/

/**
 * Takes the bytes as they come and keeps few of them. A piece of 64 KiB takes a few milliseconds at most; larger ones
 * should be cut, as each piece is processed at once.
 */
export class Sniffer {
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headLength = 0
  #tail: Uint8Array = new Uint8Array()
  #size = 0
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #isUtf8 = true
  /** The text until it is known whether it is XML. */
  #start = ''
  /** Null: it is not XML. */
  #xml: XmlCheck | null | undefined

  push(piece: Uint8Array): void {
    if (this.#headLength < HEAD_BYTES) {
      const part = piece.subarray(0, HEAD_BYTES - this.#headLength)
      this.#head.set(part, this.#headLength)
      this.#headLength += part.length
    }
    this.#tail =
      piece.length >= TAIL_BYTES ? piece.slice(-TAIL_BYTES) : Buffer.concat([this.#tail, piece]).subarray(-TAIL_BYTES)
    this.#size += piece.length
    this.#readText(() => this.#decoder.decode(piece, { stream: true }))
  }

  end(): DetectedType {
    this.#readText(() => this.#decoder.decode())
    if (this.#isUtf8) this.#decideXml()
    const xml = this.#isUtf8 ? this.#xml?.end() : undefined
    const root = this.#xml?.root
    const type = this.#typeOf(xml, root)
    return {
      type,
      isUtf8: this.#isUtf8,
      isEmpty: this.#size === 0,
      ...(type === 'application/pdf' && { isCompletePdf: latin1(this.#tail).includes('%%EOF') }),
      ...(xml !== undefined && { xml }),
      ...(xml !== undefined && root !== undefined && { xmlRoot: root }),
    }
  }

  #readText(decode: () => string): void {
    if (!this.#isUtf8) return
    const text = this.#decoded(decode)
    this.#isUtf8 = text !== undefined && !text.includes('\0')
    if (text === undefined || !this.#isUtf8 || this.#xml === null) return
    if (this.#xml === undefined) this.#start += text
    else this.#xml.push(text)
    if (this.#headLength === HEAD_BYTES) this.#decideXml()
  }

  /** Undefined for what is not UTF-8. */
  #decoded(decode: () => string): string | undefined {
    try {
      return decode()
    } catch {
      return undefined
    }
  }

  #decideXml(): void {
    if (this.#xml !== undefined) return
    this.#xml = XML_START.test(this.#start.slice(0, HEAD_BYTES)) ? new XmlCheck() : null
    this.#xml?.push(this.#start)
    this.#start = ''
  }

  #typeOf(xml: XmlVerdict | undefined, root: string | undefined): string | undefined {
    const head = this.#head.toString('hex', 0, this.#headLength)
    const known = signatures.find(({ pattern, at }) => pattern.test(head.slice(2 * at)))
    if (known !== undefined) return known.type
    // The text may be cut within a UTF-8 character here, which does not matter.
    const text = this.#head.subarray(0, this.#headLength).toString('utf8')
    if (xml === 'well-formed' && root === XHTML_ROOT) return 'application/xhtml+xml'
    if (HTML_START.test(text)) return 'text/html'
    if (xml === 'well-formed' || XML_DECLARATION.test(text)) return 'application/xml'
    return undefined
  }
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

/**
 * `has-doctype`: a DOCTYPE may declare entities, so the rest is not checked. `too-large`: beyond a limit below; it was
 * well-formed so far. `other-encoding`: it declares an encoding other than UTF-8.
 */
export type XmlVerdict = 'well-formed' | 'broken' | 'has-doctype' | 'too-large' | 'other-encoding'

/** In UTF-16 code units. */
const MAX_LENGTH = 20 * 1024 * 1024
/** Depth of nested elements. */
const MAX_DEPTH = 500
/** A million elements would take seconds. */
const MAX_ELEMENTS = 200_000
/** Attributes of one element. */
const MAX_ATTRIBUTES = 1000
const MAX_ROOT_NAME = 200

export class XmlCheck {
  readonly #saxes = new SaxesParser({ xmlns: true })
  #verdict: XmlVerdict | undefined
  #root: string | undefined
  #length = 0
  #depth = 0
  #elements = 0
  #attributes = 0

  constructor() {
    this.#saxes.on('error', () => this.#stop('broken'))
    this.#saxes.on('doctype', () => this.#stop('has-doctype'))
    this.#saxes.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && !/^(utf-?8|us-ascii)$/i.test(encoding)) this.#stop('other-encoding')
    })
    this.#saxes.on('opentagstart', () => {
      this.#attributes = 0
      if (++this.#depth > MAX_DEPTH || ++this.#elements > MAX_ELEMENTS) this.#stop('too-large')
    })
    this.#saxes.on('attribute', () => {
      if (++this.#attributes > MAX_ATTRIBUTES) this.#stop('too-large')
    })
    this.#saxes.on('opentag', ({ uri, local }: SaxesTagNS) => {
      this.#root ??= `{${uri}}${local}`.slice(0, MAX_ROOT_NAME)
    })
    this.#saxes.on('closetag', () => this.#depth--)
  }

  /** The root element as `{namespace}name`, once it has been read. */
  get root(): string | undefined {
    return this.#root
  }

  push(text: string): void {
    this.#length += text.length
    this.#untilStopped(() => {
      if (this.#length > MAX_LENGTH) this.#stop('too-large')
      this.#saxes.write(text)
    })
  }

  end(): XmlVerdict {
    this.#untilStopped(() => this.#saxes.close())
    return this.#verdict ?? 'well-formed'
  }

  #untilStopped(work: () => void): void {
    if (this.#verdict !== undefined) return
    try {
      work()
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
    }
  }

  #stop(verdict: XmlVerdict): never {
    this.#verdict = verdict
    throw new Stopped()
  }
}

/** Stops the parser, which has no other way to be stopped. */
class Stopped extends Error {}
