/**
 * capabilities: https://hl7.org/fhir/R4/http.html#capabilities. Each form (JSON or XML, pretty or not) is prepared once;
 * the address of the server, which clients see differently, is put in for each answer. Sent compressed.
 */

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { CapabilityStatement, TerminologyCapabilities } from 'fhir/r4'
import type { Context as KoaContext, Middleware } from 'koa'
import { LRUCache } from 'lru-cache'
import { terminologyCapabilities } from '../capability/terminology.ts'
import { websocketUrl } from '../events/binding-token.ts'
import { badRequest } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { attributeText } from '../fhir/xml/narrative.ts'
import { writeXml } from '../fhir/xml/write.ts'
import { stateOf } from '../http/exchange.ts'
import { type Encoding, encodingsIn } from '../http/headers.ts'
import { type Format, negotiate } from '../http/message/format.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'
import type { JudgedRequest, Profile } from '../rehearsal/strictness/profile.ts'
import { judge } from '../rehearsal/strictness/strict-profile.ts'

const MODES = ['full', 'normative', 'terminology']

/** The CapabilityStatement and documents derived from it, prepared in each requested form. */
export class Capabilities {
  readonly #statement: CapabilityStatement
  readonly #forms = new Map<string, Promise<PreparedForm>>()

  constructor(statement: CapabilityStatement) {
    this.#statement = statement
  }

  /** @throws FhirError 400 for a mode that there is not */
  async formOf(mode: string | null, name: FormName): Promise<PreparedForm> {
    if (mode !== null && !MODES.includes(mode)) throw badRequest(`mode=${mode} is none of ${MODES.join(', ')}`)
    const isTerminology = mode === 'terminology'
    const key = `${isTerminology} ${name.format} ${name.pretty}`
    const form = this.#forms.get(key) ?? PreparedForm.prepare(key, (url) => this.#located(url, isTerminology), name)
    this.#forms.set(key, form)
    return await form
  }

  #located(url: string, isTerminology: boolean): CapabilityStatement | TerminologyCapabilities {
    const located = withAddress(this.#statement, url)
    return isTerminology ? terminologyCapabilities(located) : located
  }
}

/** @param capabilitiesOf below /as/{profile} those of the profile */
export function metadata(
  capabilitiesOf: (profile: Profile | undefined) => Capabilities,
  baseOf: (koa: KoaContext) => string,
): Middleware {
  const compressed = new Compressed()
  return async (koa) => {
    const { as } = stateOf(koa)
    const { format, contentType } = negotiate(koa.get('accept'), single(koa.query._format) ?? null)
    if (as !== undefined) judge(as.profile, { ...CAPABILITIES, media: { answered: format } })
    const form = await capabilitiesOf(as?.profile).formOf(single(koa.query.mode) ?? null, {
      format,
      pretty: koa.query._pretty === 'true',
    })
    koa.set({ 'Content-Type': contentType, Vary: 'Accept, Accept-Encoding', 'Cache-Control': 'no-cache' })
    send(koa, form, baseOf(koa) + (as?.prefix ?? ''), compressed)
  }
}

/** The request for the CapabilityStatement as rules see it. */
const CAPABILITIES: JudgedRequest = {
  ...{ title: 'GET metadata', interactions: ['capabilities'], type: '', operation: '' },
  ...{ query: new URLSearchParams(), body: undefined, ifMatch: undefined, media: {} },
}

const single = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

function send(koa: KoaContext, form: PreparedForm, address: string, compressed: Compressed): void {
  const etag = form.etag(address)
  koa.set('ETag', etag)
  if (isHeld(etag, koa.get('if-none-match'))) {
    koa.status = 304
    return
  }
  const found = compressed.find(`${form.key} ${address}`, encodingsIn(koa.get('accept-encoding')), () =>
    form.body(address),
  )
  if (found !== undefined) koa.set('Content-Encoding', found.encoding)
  koa.body = found?.body ?? form.body(address)
}

const isHeld = (etag: string, header: string): boolean =>
  header === etag || header === '*' || header.split(',').some((tag) => tag.trim() === etag)

const withAddress = (statement: CapabilityStatement, url: string): CapabilityStatement => ({
  ...statement,
  implementation: { description: statement.title ?? '', ...statement.implementation, url },
  ...(statement.rest === undefined ? {} : { rest: statement.rest.map((rest) => ({ ...websocketAt(url), ...rest })) }),
})

/** https://hl7.org/fhir/R4/extension-capabilitystatement-websocket.html */
const websocketAt = (url: string) => ({
  extension: [
    {
      url: 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-websocket',
      valueUri: websocketUrl(url),
    },
  ],
})

interface FormName {
  readonly format: Format
  readonly pretty: boolean
}

/** Placeholder of the address; nothing in it is escaped in JSON or XML. */
const PLACEHOLDER = 'http://address-of-this-server.invalid'
/** The address, and that of its websocket: its scheme is captured. */
const PLACES = /(http|ws):\/\/address-of-this-server\.invalid/

/** A resource of this server in one form, prepared once for all addresses under which clients reach the server. */
export class PreparedForm {
  readonly key: string
  readonly #format: Format
  /** The text between the places of the address, and the schemes at these, in turn. */
  readonly #parts: readonly string[]
  readonly #digest: string
  /** The last body: mostly clients use only one address. */
  #last: { readonly address: string; readonly body: Buffer } | undefined

  private constructor(key: string, format: Format, text: string) {
    this.key = key
    this.#format = format
    this.#parts = text.split(PLACES)
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
    const at: Readonly<Record<string, string>> = { http: written, ws: written.replace(/^http/, 'ws') }
    const body = Buffer.from(this.#parts.map((part, index) => (index % 2 === 0 ? part : at[part])).join(''))
    this.#last = { address, body }
    return body
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

const COMPRESS: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
}

/** Bodies that are kept compressed; more than a few come from forged Host headers only. */
const MAX_KEPT = 16
/** Milliseconds before another one takes the place of one that is kept. */
const BETWEEN_REPLACEMENTS = 60_000

/**
 * Bodies compressed in the background, in the thread pool, and kept. What is compressed depends on the Host header,
 * which any client may forge, so the work and the memory for it are bounded.
 */
export class Compressed {
  readonly #kept = new LRUCache<string, Map<Encoding, Buffer>>({ max: MAX_KEPT })
  /** Keys of one request each. */
  readonly #seen = new LRUCache<string, true>({ max: MAX_KEPT })
  #isBusy = false
  #replacedAt = Number.NEGATIVE_INFINITY

  /** Undefined when there is none of these encodings yet; from the second request on it is made. */
  find(
    key: string,
    encodings: readonly Encoding[],
    body: () => Buffer,
  ): { readonly encoding: Encoding; readonly body: Buffer } | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) {
      this.#consider(key, body)
      return undefined
    }
    for (const name of encodings) {
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
    const keep = async (name: Encoding) => bodies.set(name, await COMPRESS[name](body))
    await Promise.allSettled((['br', 'gzip'] as const).map(keep))
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
