/** A Binary as its bytes, unless the client accepts the resource: https://hl7.org/fhir/R4/binary.html#rest. */
import { Readable } from 'node:stream'
import type { Binary } from 'fhir/r4'
import type { Context as KoaContext } from 'koa'
import type { Contents } from '../../content/contents.ts'
import { contentOf } from '../../fhir/content/marker.ts'
import { headerOf } from '../../http/headers.ts'
import { isMediaType } from '../../http/message/media-type.ts'
import type { Versioned } from '../../repository/repository.ts'
import { isSameContent, rangeOf, type ServedRange } from './byte-range.ts'
import { etagOf } from './http.ts'
import type { Route } from './interaction.ts'

/** Whether the response may be bytes: not where the query asks for a form of the resource. */
export const givesBytes = ({ code }: Pick<Route, 'code'>, query: URLSearchParams): boolean =>
  (code === 'read' || code === 'vread') && !OF_RESOURCES.some((name) => Boolean(query.get(name)))

const OF_RESOURCES = ['_format', '_pretty', '_summary', '_elements'] as const

/** Headers of a saved file: a browser neither shows it nor runs anything in it, whatever its type. */
const AS_FILE = {
  'Content-Disposition': 'attachment',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  // Also among the default headers.
  'X-Content-Type-Options': 'nosniff',
}

/** Type of a Binary whose contentType is not valid in a header. */
const UNKNOWN_TYPE = 'application/octet-stream'

export const contentTypeOfBinary = ({ contentType }: Binary): string =>
  contentType !== undefined && isMediaType(contentType) ? contentType : UNKNOWN_TYPE

interface Source {
  readonly size: number
  readonly read: (range: ServedRange) => AsyncIterable<Uint8Array>
}

/**
 * @throws FhirError 416 for a range outside the content
 * @throws StoreUnavailable before anything is sent
 */
export async function sendBytes(
  koa: KoaContext,
  version: Versioned<Binary>,
  { clinic, contents }: { readonly clinic: string; readonly contents: Contents },
): Promise<void> {
  const { resource } = version
  const source = await sourceOf(resource, clinic, contents)
  const isWhole = koa.method === 'HEAD' || !isSameContent(headerOf(koa, 'if-range'), version)
  const range = isWhole ? undefined : rangeOf(headerOf(koa, 'range'), source.size)
  const { start, end } = range ?? { start: 0, end: source.size }
  // First, since it may fail: an error must not carry the headers of the content.
  const body = koa.method === 'HEAD' || start === end ? undefined : await streamOf(source.read({ start, end }))
  setHeaders(koa, version)
  koa.status = range === undefined ? 200 : 206
  if (range !== undefined) koa.set('Content-Range', `bytes ${start}-${end - 1}/${source.size}`)
  if (body === undefined && koa.method !== 'HEAD') koa.body = Buffer.alloc(0)
  // A stream that breaks off breaks the connection: nothing else can still inform the client.
  if (body !== undefined) koa.body = body
  koa.response.set('Content-Length', String(end - start))
}

function setHeaders(koa: KoaContext, { resource, version, lastUpdated }: Versioned<Binary>): void {
  koa.response.set('ETag', etagOf(version))
  koa.response.set('Last-Modified', new Date(lastUpdated).toUTCString())
  koa.response.set('Vary', 'Accept')
  koa.response.set('Accept-Ranges', 'bytes')
  koa.response.set('Content-Type', contentTypeOfBinary(resource))
  koa.response.set(AS_FILE)
  const { reference } = resource.securityContext ?? {}
  if (reference !== undefined && /^[\x21-\x7e]+$/.test(reference)) koa.response.set('X-Security-Context', reference)
}

async function sourceOf(binary: Binary, clinic: string, contents: Contents): Promise<Source> {
  const sha256 = contentOf(binary._data)
  const facts = sha256 === undefined ? undefined : await contents.facts(clinic, sha256)
  if (facts !== undefined) {
    return { size: facts.size, read: (range) => contents.read(clinic, facts.sha256, range) }
  }
  const bytes = Buffer.from(binary.data ?? '', 'base64')
  return {
    size: bytes.length,
    read: async function* ({ start, end }) {
      yield bytes.subarray(start, end)
    },
  }
}

/** The first piece has been read, so that an early failure becomes an error response. */
async function streamOf(pieces: AsyncIterable<Uint8Array>): Promise<Readable> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      for (let next = first; next.done !== true; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return Readable.from(all(), { objectMode: false, highWaterMark: 1 })
}
