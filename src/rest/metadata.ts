/** capabilities: https://hl7.org/fhir/R4/http.html#capabilities. Rendered once per address and format, sent compressed. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { CapabilityStatement } from 'fhir/r4'
import type { Context as KoaContext, Middleware } from 'koa'
import { terminologyCapabilities } from '../capability/terminology.ts'
import { badRequest } from '../fhir/outcome.ts'
import { formatBody } from './message/format.ts'
import type { Format } from './message/media-type.ts'
import { type AnswerFormat, negotiate } from './message/negotiate.ts'

interface Rendered {
  readonly etag: string
  readonly plain: Buffer
  readonly pretty: () => string
  /** By Content-Encoding; filled in the background, since a request must not wait for it. */
  readonly encoded: ReadonlyMap<string, Buffer>
  /** Begins to fill `encoded`, once: not for the first request, whose address may be a forged one. */
  readonly compress: () => void
}

const MODES = ['full', 'normative', 'terminology']
/** The best first, each with the header of a client that refuses it. */
const ENCODINGS = [
  { name: 'br', refused: /br\s*;\s*q=0(\.0*)?\s*(,|$)/ },
  { name: 'gzip', refused: /gzip\s*;\s*q=0(\.0*)?\s*(,|$)/ },
]
/** Addresses whose statement is kept; more than a few come from forged Host headers only. */
const MAX_RENDERED = 16

export function metadata(statement: CapabilityStatement, baseOf: (koa: KoaContext) => string): Middleware {
  const rendered = new Map<string, Rendered>()
  const renderedFor = (base: string, mode: string, format: Format): Rendered => {
    const key = `${format} ${mode} ${base}`
    const known = rendered.get(key)
    known?.compress()
    if (known !== undefined) return known
    if (rendered.size >= MAX_RENDERED) rendered.clear()
    const located = withAddress(statement, base)
    const fresh = render(mode === 'terminology' ? terminologyCapabilities(located) : located, format)
    rendered.set(key, fresh)
    return fresh
  }
  return async (koa) => {
    const answer = negotiate(koa.get('accept'), typeof koa.query._format === 'string' ? koa.query._format : null)
    const mode = typeof koa.query.mode === 'string' ? koa.query.mode : 'full'
    if (!MODES.includes(mode)) throw badRequest(`mode=${mode} is none of ${MODES.join(', ')}`)
    send(koa, renderedFor(baseOf(koa), mode, answer.format), answer)
  }
}

function send(koa: KoaContext, { etag, plain, pretty, encoded }: Rendered, { contentType }: AnswerFormat): void {
  koa.set({ ETag: etag, 'Content-Type': contentType, Vary: 'Accept, Accept-Encoding', 'Cache-Control': 'no-cache' })
  if (isHeld(etag, koa.get('if-none-match'))) {
    koa.status = 304
    return
  }
  if (koa.query._pretty === 'true') {
    koa.body = pretty()
    return
  }
  const accepted = koa.get('accept-encoding')
  const encoding = ENCODINGS.find(({ name, refused }) => {
    return accepted.includes(name) && encoded.has(name) && !refused.test(accepted)
  })?.name
  if (encoding !== undefined) koa.set('Content-Encoding', encoding)
  koa.body = (encoding === undefined ? undefined : encoded.get(encoding)) ?? plain
}

const isHeld = (etag: string, header: string): boolean =>
  header === etag || header === '*' || header.split(',').some((tag) => tag.trim() === etag)

function render(resource: unknown, format: Format): Rendered {
  const text = JSON.stringify(resource)
  const plain = Buffer.from(formatBody(text, format, false))
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`
  const encoded = new Map<string, Buffer>()
  const keep = (name: string, work: Promise<Buffer>): void =>
    void work.then(
      (buffer) => encoded.set(name, buffer),
      () => undefined,
    )
  let isBegun = false
  const compress = (): void => {
    if (isBegun) return
    isBegun = true
    keep('gzip', promisify(gzip)(plain, { level: 9 }))
    keep('br', promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  }
  return { etag, plain, pretty: () => formatBody(text, format, true), encoded, compress }
}

const withAddress = (statement: CapabilityStatement, url: string): CapabilityStatement => ({
  ...statement,
  implementation: { description: statement.title ?? '', ...statement.implementation, url },
})
