/** Whether a text that comes in pieces is well-formed XML, at a bounded cost: https://www.w3.org/TR/xml/. */
import { SaxesParser, type SaxesTagNS } from 'saxes'

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
