/**
 * Long base64 in a body goes to the content storage while the body arrives, so that it is never in memory as a whole;
 * the rest of the body has markers in its place (src/fhir/content/marker.ts).
 */
import { NotBase64 } from '../../content/base64.ts'
import { JSON_SYNTAX, XML_SYNTAX } from '../../content/content-syntaxes.ts'
import type { ContentFacts } from '../../content/contents.ts'
import { pathInJson, pathInXml } from '../../content/element-path.ts'
import { ContentScanner, type Scanned } from '../../content/scan.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import type { Format } from '../message/media-type.ts'

/** Bytes of all contents of one body together. */
export const MOST_TOGETHER = 64 * 1024 * 1024

/** Most bytes of a body that holds `bytes` of contents, with line breaks and escapes. */
export const writtenAtMost = (bytes: number): number => 2 * bytes

export interface DivertLimits {
  /** Bytes of the body without its contents. */
  readonly bodyBytes: number
  /** Bytes of one content. */
  readonly contentBytes: number
}

export interface Diversion {
  readonly format: Format
  readonly limits: DivertLimits
  /** Keeps the bytes of one content. */
  readonly receive: (pieces: AsyncIterable<Uint8Array>) => Promise<ContentFacts>
  /**
   * Called before more of the text is kept: waits until there is memory for it.
   * @param bytes of the text including that
   */
  readonly grow: (bytes: number) => Promise<void>
  /** The error for a body whose text is too large. */
  readonly tooLarge: () => FhirError
}

/**
 * The body with markers in place of its contents.
 * @throws FhirError 400 naming the element whose base64 is broken, 413 naming the limit; and the errors of `receive`
 *   and `body`
 */
export async function divert(body: AsyncIterable<Uint8Array>, diversion: Diversion): Promise<Buffer> {
  return await new Divert(body, diversion).run()
}

class Divert {
  readonly #diversion: Diversion
  readonly #scanner: ContentScanner
  readonly #scanned: AsyncIterator<Scanned, undefined>
  readonly #text: Buffer[] = []
  #textBytes = 0
  /** Bytes of the contents so far. */
  #contentBytes = 0
  /** Why a content ended early; `receive` may report it in words of its own. */
  #failure: unknown

  constructor(body: AsyncIterable<Uint8Array>, diversion: Diversion) {
    this.#diversion = diversion
    this.#scanner = new ContentScanner(this.#syntax)
    this.#scanned = scan(body, this.#scanner)
  }

  async run(): Promise<Buffer> {
    try {
      let marker = ''
      for (;;) {
        const { done, value } = await this.#scanned.next()
        if (done) return Buffer.concat(this.#text, this.#textBytes)
        if (value.kind === 'text') await this.#keep(value.bytes)
        else if (value.kind === 'marker') await this.#keep(Buffer.from(marker))
        else if (value.kind === 'content') {
          const { sha256 } = await this.#diversion.receive(this.#contentFrom(value.bytes))
          marker = this.#syntax.marker(sha256)
        }
      }
    } catch (error) {
      const failure = this.#failure ?? error
      throw failure instanceof NotBase64 ? this.#notBase64(failure) : failure
    } finally {
      // Releases the body, unread.
      await this.#scanned.return?.()
    }
  }

  get #syntax() {
    return this.#diversion.format === 'xml' ? XML_SYNTAX : JSON_SYNTAX
  }

  async #keep(bytes: Buffer): Promise<void> {
    this.#textBytes += bytes.length
    if (this.#textBytes > this.#diversion.limits.bodyBytes) throw this.#tooLarge()
    await this.#diversion.grow(this.#textBytes)
    this.#text.push(bytes)
  }

  async *#contentFrom(first: Buffer): AsyncGenerator<Uint8Array> {
    this.#count(first, 0)
    yield first
    for (let size = first.length; ; ) {
      const bytes = await this.#moreContent(size)
      if (bytes === undefined) return
      size += bytes.length
      yield bytes
    }
  }

  /** Undefined at the end of the content. @param before bytes of it so far */
  async #moreContent(before: number): Promise<Buffer | undefined> {
    try {
      const { done, value } = await this.#scanned.next()
      if (done || value.kind !== 'content') return undefined
      this.#count(value.bytes, before)
      return value.bytes
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  /** @throws FhirError 413 */
  #count({ length }: Buffer, before: number): void {
    const { contentBytes } = this.#diversion.limits
    this.#contentBytes += length
    if (before + length > contentBytes) {
      throw this.#tooLong(`has more than ${contentBytes} bytes, the most that this server takes inline`, HOW_ELSE)
    }
    if (this.#contentBytes > MOST_TOGETHER) {
      const what = `and the contents before it have more than ${MOST_TOGETHER} bytes together`
      throw this.#tooLong(what, 'send them in several requests')
    }
  }

  #tooLong(what: string, instead: string): FhirError {
    const expression = this.#path()
    const diagnostics = `${expression} ${what}; ${instead}`
    return new FhirError(413, { code: 'too-long', diagnostics, expression })
  }

  /** The path of the element that is being received. */
  #path(): string {
    const text = Buffer.concat(this.#text, this.#textBytes).toString('utf8')
    const outer = this.#diversion.format === 'xml' ? pathInXml(withoutLastTag(text)) : pathInJson(text)
    return outer === '' ? 'data' : `${outer}.data`
  }

  #notBase64({ character, problem }: NotBase64): FhirError {
    const expression = this.#path()
    const where = character === 0 ? '' : ` at character ${character}`
    return badRequest(`${expression} is not base64${where}: ${problem}`, { expression })
  }

  /** The text may be too large because a content turned out not to be base64. */
  #tooLarge(): FhirError {
    const { broken } = this.#scanner
    if (broken === undefined) return this.#diversion.tooLarge()
    return badRequest(
      `A value 'data' of more than 16,384 characters is not base64 at character ${broken.character}: ${broken.problem}`,
    )
  }
}

const HOW_ELSE = 'send the bytes as the body of a request to Binary, and refer to it by url'

/** The text ends with the beginning of the element itself, without its end. */
const withoutLastTag = (text: string): string => text.slice(0, text.lastIndexOf('<'))

async function* scan(body: AsyncIterable<Uint8Array>, scanner: ContentScanner): AsyncGenerator<Scanned, undefined> {
  for await (const bytes of body) yield* scanner.push(bytes)
  yield* scanner.end()
}
