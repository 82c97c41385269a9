/**
 * Bodies compressed in the background, in the thread pool, and kept. What is compressed depends on the Host header,
 * which any client may forge, so the work and the memory for it are bounded.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'

/** The best first, each with the header of a client that refuses it. */
export const ENCODINGS = [
  { name: 'br', refused: /br\s*;\s*q=0(\.0*)?\s*(,|$)/ },
  { name: 'gzip', refused: /gzip\s*;\s*q=0(\.0*)?\s*(,|$)/ },
] as const

type Encoding = (typeof ENCODINGS)[number]['name']

const COMPRESS: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
}

/** Bodies that are kept compressed; more than a few come from forged Host headers only. */
const MAX_KEPT = 16
/** Milliseconds before another one takes the place of one that is kept. */
const BETWEEN_REPLACEMENTS = 60_000

export class Compressed {
  readonly #kept = new LRUCache<string, Map<Encoding, Buffer>>({ max: MAX_KEPT })
  /** Keys of one request each. */
  readonly #seen = new LRUCache<string, true>({ max: MAX_KEPT })
  #isBusy = false
  #replacedAt = Number.NEGATIVE_INFINITY

  /** Undefined when there is none of these encodings yet; from the second request on it is made. */
  find(
    key: string,
    encodings: readonly { readonly name: Encoding }[],
    body: () => Buffer,
  ): { readonly encoding: Encoding; readonly body: Buffer } | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) {
      this.#consider(key, body)
      return undefined
    }
    for (const { name } of encodings) {
      const found = kept.get(name)
      if (found !== undefined) return { encoding: name, body: found }
    }
    return undefined
  }

  /** Not for a first request, which may be the only one with its address. */
  #consider(key: string, body: () => Buffer): void {
    if (!this.#seen.has(key)) {
      this.#seen.set(key, true)
      return
    }
    if (this.#isBusy || !this.#mayAdd()) return
    this.#isBusy = true
    const bodies = new Map<Encoding, Buffer>()
    this.#kept.set(key, bodies)
    void this.#compress(body(), bodies)
  }

  async #compress(body: Buffer, bodies: Map<Encoding, Buffer>): Promise<void> {
    const keep = async ({ name }: { readonly name: Encoding }) => bodies.set(name, await COMPRESS[name](body))
    await Promise.allSettled(ENCODINGS.map(keep))
    this.#isBusy = false
  }

  #mayAdd(): boolean {
    if (this.#kept.size < MAX_KEPT) return true
    const now = Date.now()
    if (now - this.#replacedAt < BETWEEN_REPLACEMENTS) return false
    this.#replacedAt = now
    return true
  }
}
