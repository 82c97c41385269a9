/** A resource of this server in one form, prepared once for all addresses under which clients reach the server. */
import { createHash } from 'node:crypto'
import type { AnyResource } from '../fhir/resource.ts'
import { attributeText } from '../fhir/xml/narrative.ts'
import { writeXml } from '../fhir/xml/write.ts'
import type { Format } from '../http/message/media-type.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'

export interface FormName {
  readonly format: Format
  readonly pretty: boolean
}

/** Placeholder of the address; nothing in it is escaped in JSON or XML. */
const PLACEHOLDER = 'http://address-of-this-server.invalid'

export class PreparedForm {
  readonly key: string
  readonly #format: Format
  /** The text between the places of the address. */
  readonly #parts: readonly Buffer[]
  readonly #digest: string
  /** The last body: mostly clients use only one address. */
  #last: { readonly address: string; readonly body: Buffer } | undefined

  private constructor(key: string, format: Format, text: string) {
    this.key = key
    this.#format = format
    this.#parts = text.split(PLACEHOLDER).map((part) => Buffer.from(part))
    this.#digest = digest(text)
  }

  /**
   * Prepares a form in some 50 ms, with other work in between. The result is shared, and no request's budget pays for
   * it.
   * @param make the resource with `url` as the address of this server
   */
  static async prepare(
    key: string,
    make: (url: string) => AnyResource,
    { format, pretty }: FormName,
  ): Promise<PreparedForm> {
    await yieldToEventLoop()
    const resource = make(PLACEHOLDER)
    await yieldToEventLoop()
    const text = format === 'json' ? JSON.stringify(resource, null, pretty ? 2 : 0) : writeXml({ ...resource }, pretty)
    await yieldToEventLoop()
    return new PreparedForm(key, format, text)
  }

  etag(address: string): string {
    return `W/"${digest(`${this.#digest} ${address}`)}"`
  }

  body(address: string): Buffer {
    if (this.#last?.address === address) return this.#last.body
    const written = this.#format === 'json' ? JSON.stringify(address).slice(1, -1) : attributeText(address)
    const between = Buffer.from(written)
    const body = Buffer.concat(this.#parts.flatMap((part, index) => (index === 0 ? [part] : [between, part])))
    this.#last = { address, body }
    return body
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)
