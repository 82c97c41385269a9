/** The bodies of a Binary, which comes and is sent as the bytes that it is: https://hl7.org/fhir/R4/binary.html#rest. */
import type { Binary } from 'fhir/r4'
import type { Context as KoaContext } from 'koa'
import type { Limits } from '../config.ts'
import { contentTooLarge } from '../content/content-digest.ts'
import type { Contents } from '../content/contents.ts'
import { contentElement, contentOf, MAX_INLINE } from '../fhir/content/marker.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { startedStream } from '../http/content-answer.ts'
import { seeBody, stateOf } from '../http/exchange.ts'
import { headerOf } from '../http/headers.ts'
import {
  announcedLength,
  type Beginning,
  beginningOf,
  checkEncoding,
  giveBack,
  invite,
  withRest,
} from '../http/message/body.ts'
import {
  FHIR_JSON,
  isMediaType,
  MAX_MEDIA_TYPE,
  mediaType,
  negotiateContent,
  RESOURCE_TYPES,
} from '../http/message/format.ts'
import { currentBudget } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'
import { subsetText } from '../search/query/subset-text.ts'
import { versionsIn } from './message/entity-tag.ts'
import { type Answering, type Bodies, etagOf, RESOURCES, send } from './message/http.ts'
import type { InteractionRequest, InteractionResponse, RawBody, Route } from './message/interaction.ts'

export const BINARIES: Bodies = {
  // The type of bytes is known once they are read.
  formatOf: (koa, route, query) => (givesBytes(route, query) ? undefined : RESOURCES.formatOf(koa, route, query)),
  read: async (koa, route, receiver) => {
    const raw = takesBytes(route) ? await receiveRaw(koa, receiver.id, receiver) : undefined
    return raw === undefined ? await RESOURCES.read(koa, route, receiver) : { body: raw.resource, raw }
  },
  send: sendBinary,
}

const WITHOUT_DATA = { summary: undefined, elements: ['contentType', 'securityContext'] } as const

/**
 * Leaves out the base64 of a file that the client has just sent, unless the client requests it.
 * @param preferred the Prefer header
 */
function withoutData(
  { raw }: InteractionRequest,
  response: InteractionResponse,
  preferred: string,
): InteractionResponse {
  const { resource } = response
  if (raw === undefined || resource === undefined || /(?:^|[,;\s])return\s*=/i.test(preferred)) return response
  return { ...response, text: subsetText(resource.text, 'Binary', WITHOUT_DATA) }
}

/**
 * Answers with the resource, or, where a read has no format yet, with the bytes if the client accepts them.
 * @throws FhirError 406 when the client accepts neither, 416 for a range that there is not
 */
async function sendBinary(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  { clinic, wanted, preferred, format }: Answering,
): Promise<void> {
  if (format !== undefined) return send(koa, request, withoutData(request, response, preferred), format, wanted)
  const binary = response.resource as Versioned<Binary> | undefined
  if (response.status !== 200 || binary === undefined) return send(koa, request, response, FHIR_JSON, wanted)
  const asked = negotiateContent(headerOf(koa, 'accept') ?? '', contentTypeOfBinary(binary.resource))
  if (asked !== undefined) return send(koa, request, response, asked, wanted)
  await sendBytes(koa, binary, { clinic, contents: request.services.contents })
}

/** Whether the response may be bytes: not where the query asks for a form of the resource. */
const givesBytes = ({ code }: Pick<Route, 'code'>, query: URLSearchParams): boolean =>
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

const contentTypeOfBinary = ({ contentType }: Binary): string =>
  contentType !== undefined && isMediaType(contentType) ? contentType : UNKNOWN_TYPE

interface Source {
  readonly size: number
  readonly read: (range: ServedRange) => AsyncIterable<Uint8Array>
}

/**
 * @throws FhirError 416 for a range outside the content
 * @throws StoreUnavailable before anything is sent
 */
async function sendBytes(
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
  const body = koa.method === 'HEAD' || start === end ? undefined : await startedStream(source.read({ start, end }), 1)
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

/** A part of a content (https://www.rfc-editor.org/rfc/rfc9110#section-14): bytes from `start` up to, not including, `end`. */
interface ServedRange {
  readonly start: number
  readonly end: number
}

/** `first-last`, `first-` or `-length`. */
const RANGE = /^bytes=(\d*)-(\d*)$/i

/**
 * Undefined: all of it, as for several ranges at once, other units, and what is malformed, which a server may ignore.
 * @param size bytes of the whole content
 * @throws FhirError 416 for a range that begins behind the end
 */
function rangeOf(header: string | undefined, size: number): ServedRange | undefined {
  const [, first = '', last = ''] = RANGE.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return suffix(Number(last), size)
  const [start, end] = [Number(first), last === '' ? size : Number(last) + 1]
  if (last !== '' && end <= start) return undefined
  if (start >= size) throw unsatisfiable(header, size)
  return { start, end: Math.min(end, size) }
}

function suffix(length: number, size: number): ServedRange {
  if (length === 0 || size === 0) throw unsatisfiable(`bytes=-${length}`, size)
  return { start: Math.max(0, size - length), end: size }
}

const unsatisfiable = (header: string | undefined, size: number): FhirError =>
  new FhirError(
    416,
    {
      code: 'invalid',
      diagnostics: `Range '${header?.slice(0, 100)}' has none of the ${size} bytes that there are; the first is byte 0`,
    },
    { 'content-range': `bytes */${size}` },
  )

/**
 * Whether a part goes together with the one that the client has: by the version, or by the exact time. The tags of this
 * server are weak, as FHIR has them, yet a version has the same bytes for ever.
 */
function isSameContent(
  ifRange: string | undefined,
  { version, lastUpdated }: Pick<Versioned, 'version' | 'lastUpdated'>,
): boolean {
  if (ifRange === undefined) return true
  if (/^(?:W\/)?"/.test(ifRange)) return versionsIn(ifRange).includes(version)
  return ifRange === new Date(lastUpdated).toUTCString()
}

interface RawBinary extends RawBody {
  /** The Binary that it makes, with its content, or with the marker of that. */
  readonly resource: unknown
}

interface Receiver {
  readonly clinic: string
  readonly contents: Contents
  readonly limits: Pick<Limits, 'binaryBytes'>
}

/** Bytes that stay in the text of their resource. */
const INLINE = (MAX_INLINE / 4) * 3

/** Bytes by which a resource is known. */
const BEGINNING = 16 * 1024

/** Bytes of a body in flight that are in memory. */
const IN_MEMORY = 256 * 1024

/** Whether bytes may come to such a route of Binary. */
const takesBytes = ({ code, run }: Pick<Route, 'code' | 'run'>): boolean =>
  run.kind === 'interaction' && (code === 'create' || code === 'update')

/**
 * Receives the body where it is no Binary: R4 takes all other content as it is, "including when the content type is
 * application/fhir+xml or application/fhir+json, except for the special case where the content is actually a Binary
 * resource" (binary.html#rest).
 * @param id in the address, or ''
 * @returns undefined for a resource, which is still to be read
 * @throws FhirError 400 for a body that is empty or breaks off, 413 beyond the limit, 415 when it is compressed
 * @throws StoreUnavailable
 */
async function receiveRaw(koa: KoaContext, id: string, receiver: Receiver): Promise<RawBinary | undefined> {
  const header = headerOf(koa, 'content-type')
  if (header === undefined) return undefined
  const { type } = mediaType(header)
  const contentType = contentTypeFrom(header)
  const security = securityContextOf(koa)
  await admit(koa, receiver.limits.binaryBytes)
  const beginning = await beginningOf(koa, BEGINNING)
  const format = RESOURCE_TYPES.get(type)
  if (format !== undefined && isBinary[format](beginning.bytes.toString())) {
    giveBack(koa, beginning)
    return undefined
  }
  // The bytes are consumed when received, so the request cannot restart in a work thread.
  currentBudget()?.pinToThread()
  if (beginning.isAll && beginning.bytes.length === 0) throw noBytes()
  const { received, data } = await contentFrom(koa, beginning, receiver)
  const named = id === '' ? {} : { id }
  return { resource: { resourceType: 'Binary', ...named, contentType, ...security, ...data }, received }
}

/** @throws FhirError 413 or 415 before anything is read; 429 or 503 when there is no room */
async function admit(koa: KoaContext, limit: number): Promise<void> {
  checkEncoding(koa)
  const length = announcedLength(koa) ?? IN_MEMORY
  if (length > limit && announcedLength(koa) !== undefined) throw contentTooLarge(limit)
  const { bodies, holder = '' } = stateOf(koa)
  await bodies?.reserveFor(koa.res, holder, Math.min(length, IN_MEMORY))
  invite(koa)
}

const noBytes = () =>
  badRequest('The body is empty; a Binary needs at least one byte of content', { expression: 'Binary.data' })

async function contentFrom(
  koa: KoaContext,
  beginning: Beginning,
  { clinic, contents, limits }: Receiver,
): Promise<{ readonly received: readonly string[]; readonly data: object }> {
  const { bytes, isAll } = beginning
  if (isAll && bytes.length <= INLINE) {
    seeBody(koa, bytes)
    return { received: [], data: { data: bytes.toString('base64') } }
  }
  const { sha256, size } = await contents.receive(clinic, withRest(koa, beginning), limits.binaryBytes)
  stateOf(koa).seenContent = { sha256, size }
  return { received: [sha256], data: { _data: contentElement(sha256) } }
}

/** In front of the root element. Each alternative ends at one place only, so nothing is looked through twice. */
const PROLOG = String.raw`^\uFEFF?(?:\s|<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->|<!(?!--)[^>]*>)*`
const BINARY_ELEMENT = new RegExp(String.raw`${PROLOG}<(?:\w+:)?Binary[\s/>]`)

/** Whether a text is, or begins, a Binary: of JSON the first resourceType counts, of XML the root element. */
const isBinary: Readonly<Record<'json' | 'xml', (text: string) => boolean>> = {
  json: (text) => /^\uFEFF?\s*\{/.test(text) && /"resourceType"\s*:\s*"(\w*)"/.exec(text)?.[1] === 'Binary',
  xml: (text) => BINARY_ELEMENT.test(text),
}

/** As it is kept in Binary.contentType, a code: with single spaces. @throws FhirError 400 */
function contentTypeFrom(header: string): string {
  const written = header.trim().replace(/\s+/g, ' ')
  if (isMediaType(written)) return written
  throw badRequest(
    `Content-Type '${written.slice(0, 100)}' is no media type; write one such as application/pdf, in ${MAX_MEDIA_TYPE} characters at most`,
    { expression: 'Binary.contentType' },
  )
}

/** Whether there is such a resource is checked when the Binary is written (providers/binary.ts). */
function securityContextOf(koa: KoaContext) {
  const reference = headerOf(koa, 'x-security-context')?.trim()
  return reference === undefined || reference === '' ? {} : { securityContext: { reference } }
}
