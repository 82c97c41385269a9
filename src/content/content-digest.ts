/** Facts about a content once all of its bytes have passed: its hashes, its size, and its detected type. */
import { createHash } from 'node:crypto'
import { type DetectedType, Sniffer } from '../fhir/content/detected-type.ts'
import { FhirError } from '../fhir/outcome.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'

export interface ContentFacts {
  /** Lower-case hex. The key of the content. */
  readonly sha256: string
  /** Base64, as Attachment.hash. */
  readonly sha1: string
  /** Bytes. */
  readonly size: number
  readonly looks: DetectedType
}

/** Bytes of an upload that are processed at once: in XML they may be some thousand elements. */
const LOOK_BYTES = 16 * 1024

export class ContentDigest {
  readonly #limit: number
  readonly #sha256 = createHash('sha256')
  readonly #sha1 = createHash('sha1')
  readonly #sniffer = new Sniffer()
  #size = 0

  /** @param limit bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** @throws FhirError 413 beyond the limit */
  push(piece: Uint8Array): void {
    this.#size += piece.length
    if (this.#size > this.#limit) throw contentTooLarge(this.#limit)
    this.#sha256.update(piece)
    this.#sha1.update(piece)
    this.#sniffer.push(piece)
  }

  /**
   * Passes the pieces on as they come, each after it has been processed, with other work in between.
   * @throws FhirError 413 beyond the limit
   */
  async *of(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      for (let start = 0; start < piece.length; start += LOOK_BYTES) {
        const part = piece.subarray(start, start + LOOK_BYTES)
        this.push(part)
        if (part.length === LOOK_BYTES) await yieldToEventLoop()
      }
      yield piece
    }
  }

  end(): ContentFacts {
    return {
      sha256: this.#sha256.digest('hex'),
      sha1: this.#sha1.digest('base64'),
      size: this.#size,
      looks: this.#sniffer.end(),
    }
  }
}

export const contentTooLarge = (limit: number): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `The content is larger than ${limit} bytes, the most this server takes in one piece`,
  })
