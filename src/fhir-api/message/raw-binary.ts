/** A Binary that is sent as its own bytes: https://hl7.org/fhir/R4/binary.html#rest. */
import type { Context as KoaContext } from 'koa'
import type { Limits } from '../../config.ts'
import { contentTooLarge } from '../../content/content-digest.ts'
import type { Contents } from '../../content/contents.ts'
import { contentElement, MAX_INLINE } from '../../fhir/content/marker.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { seeBody, stateOf } from '../../http/exchange.ts'
import { headerOf } from '../../http/headers.ts'
import { announcedLength, checkEncoding, invite } from '../../http/message/body.ts'
import { type Beginning, beginningOf, giveBack, withRest } from '../../http/message/body-pieces.ts'
import { isMediaType, MAX_MEDIA_TYPE, mediaType, RESOURCE_TYPES } from '../../http/message/media-type.ts'
import { currentBudget } from '../../isolation/budget.ts'
import type { RawBody, Route } from './interaction.ts'

export interface RawBinary extends RawBody {
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
export const takesBytes = ({ code, run }: Pick<Route, 'code' | 'run'>): boolean =>
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
export async function receiveRaw(koa: KoaContext, id: string, receiver: Receiver): Promise<RawBinary | undefined> {
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
  await stateOf(koa).bodies?.reserveFor(koa, Math.min(length, IN_MEMORY))
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
