/** Request bodies: size, encoding, depth and syntax, each with an error of its own; bodies in pieces, and bodies that are not read. */

import type { IncomingMessage, Server } from 'node:http'
import { Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import getRawBody from 'raw-body'
import type { Limits } from '../../config.ts'
import { mayHaveMarkers, withMarkers } from '../../fhir/content/marker.ts'
import { countJson, hasAllNames, MAX_JSON_VALUES, parseJson, repeatedName } from '../../fhir/json.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { readXml } from '../../fhir/xml/read.ts'
import { requireWorkThread, rethrowBudgetError, spend } from '../../isolation/budget.ts'
import { FairTurns } from '../../isolation/fair-queue.ts'
import { seeBody, stateOf } from '../exchange.ts'
import { headerOf } from '../headers.ts'
import { inflated, mostInflated } from './gzip.ts'

/** Largest body, in bytes, that is read on the event loop. */
const MAX_ON_EVENT_LOOP = 32 * 1024

/**
 * The body as text.
 * @throws FhirError 413 when it is larger than `limitBytes`, 400 when it is not UTF-8; OffloadRequired when it is large
 */
export const readBody = async (koa: KoaContext, limitBytes: number): Promise<string> =>
  textOf(await readBytes(koa, limitBytes))

/**
 * The body, inflated where it was sent as gzip. It is received once, and kept until the request ends: further calls give
 * the same bytes.
 * @throws FhirError 413 when it is larger than `limitBytes`, 415 for another encoding, 400 when it breaks off, 429 or 503
 *   when there is no room for it
 */
export async function receivedBytes(koa: KoaContext, limitBytes: number): Promise<Buffer> {
  const state = stateOf(koa)
  state.bodyBytes ??= receive(koa, limitBytes)
  const bytes = await state.bodyBytes
  seeBody(koa, bytes)
  if (bytes.length > limitBytes) throw tooLarge(limitBytes)
  return bytes
}

/** The bytes as they were sent, over which signatures are. @throws FhirError as `receivedBytes` */
export async function sentBytes(koa: KoaContext, limitBytes: number): Promise<Buffer> {
  const bytes = await receivedBytes(koa, limitBytes)
  return stateOf(koa).sentBytes ?? bytes
}

/**
 * The body for a work thread, and whether it is still gzip.
 * @throws FhirError as `receivedBytes`
 */
export async function bytesToMove(koa: KoaContext, limitBytes: number) {
  const bytes = await receivedBytes(koa, limitBytes)
  const { sentBytes: sent } = stateOf(koa)
  return { bytes: sent ?? bytes, isEncoded: sent !== undefined }
}

/**
 * The same, for work on this thread.
 * @throws FhirError as `receivedBytes`, OffloadRequired when it is too much for the event loop
 */
export async function readBytes(koa: KoaContext, limitBytes: number): Promise<Buffer> {
  const bytes = await receivedBytes(koa, limitBytes)
  if (bytes.length > MAX_ON_EVENT_LOOP) requireWorkThread('the size of its body')
  return bytes
}

/** @throws FhirError 415 for a content encoding other than gzip, 501 for a transfer encoding other than chunked */
export function checkEncoding(koa: KoaContext): void {
  const transfer = headerOf(koa, 'transfer-encoding') ?? CHUNKED
  if (transfer.trim().toLowerCase() !== CHUNKED) {
    throw new FhirError(501, {
      code: 'not-supported',
      diagnostics: `Transfer-Encoding '${transfer.slice(0, 100)}' is not supported; send the body as it is, in chunks or with its length`,
    })
  }
  const encoding = encodingOf(koa)
  if (encoding === IDENTITY || isGzip(encoding)) return
  throw new FhirError(
    415,
    {
      code: 'not-supported',
      diagnostics: `Content-Encoding '${encoding.slice(0, 100)}' is not supported; send the body as gzip, or as it is`,
    },
    { 'accept-encoding': 'gzip' },
  )
}

const IDENTITY = 'identity'

/** Both names mean the same: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3. */
const isGzip = (encoding: string): boolean => encoding === 'gzip' || encoding === 'x-gzip'

const encodingOf = (koa: Pick<KoaContext, 'req'>): string =>
  (koa.req.headers['content-encoding'] ?? IDENTITY).trim().toLowerCase()

/** https://www.rfc-editor.org/rfc/rfc9112#section-6.1 */
const CHUNKED = 'chunked'

async function receive(koa: KoaContext, limitBytes: number): Promise<Buffer> {
  checkEncoding(koa)
  const length = announcedLength(koa)
  if (length !== undefined && length > limitBytes) throw tooLarge(limitBytes)
  const { bodies, holder = '' } = stateOf(koa)
  const room = await bodies?.reserveFor(koa.res, holder, mostBytes(koa, limitBytes))
  invite(koa)
  try {
    const bytes = await (isGzip(encodingOf(koa))
      ? inflatedBytes(koa, limitBytes)
      : wholeBody(koa.req, limitBytes, length))
    room?.shrinkTo(bytes.length)
    return bytes
  } catch (error) {
    room?.release()
    throw bodyError(error, limitBytes)
  }
}

/** A body of unknown length may be as long as the largest. */
function mostBytes(koa: KoaContext, limitBytes: number): number {
  const length = announcedLength(koa)
  if (length === undefined) return limitBytes
  return isGzip(encodingOf(koa)) ? Math.min(limitBytes, mostInflated(length)) : length
}

async function inflatedBytes(koa: KoaContext, limitBytes: number): Promise<Buffer> {
  const state = stateOf(koa)
  // A body that was given back has left only its rest here, inflated.
  if (state.inflating !== undefined) return await wholeBody(state.inflating, limitBytes)
  const sent = await wholeBody(koa.req, limitBytes, announcedLength(koa))
  const bytes = await wholeBody(Readable.from(inflated(Readable.from([sent]))), limitBytes)
  state.sentBytes = sent
  return bytes
}

const wholeBody = (stream: Readable, limit: number, length?: number): Promise<Buffer> =>
  getRawBody(stream, { limit, length: length ?? null })

/** In bytes; undefined for a body that comes in chunks. */
export function announcedLength(koa: KoaContext): number | undefined {
  if (headerOf(koa, 'transfer-encoding') !== undefined) return undefined
  return Number(headerOf(koa, 'content-length') ?? 0)
}

/** Sends 100 Continue to a client that waits for it before sending its body: see `continueWhenRead`. */
export function invite(koa: KoaContext): void {
  if (headerOf(koa, 'expect') === undefined || stateOf(koa).isInvited === true) return
  stateOf(koa).isInvited = true
  koa.res.writeContinue()
}

/** A byte that is not UTF-8 would otherwise be stored as a replacement character. @throws FhirError 400 */
export function textOf(body: Buffer, what = 'The body'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw badRequest(`${what} is not UTF-8, the one encoding that FHIR is sent in`)
  }
}

function bodyError(error: unknown, limitBytes: number): FhirError {
  if (error instanceof FhirError) return error
  const type = error instanceof Error && 'type' in error ? error.type : ''
  if (type === 'entity.too.large') return tooLarge(limitBytes)
  return badRequest('The body ended before its announced length')
}

const tooLarge = (limitBytes: number): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `The body is larger than ${limitBytes} bytes, the most this server takes`,
  })

/** Limits of the bodies of small requests, such as a login. */
const SMALL = { bodyBytes: 10_000, jsonDepth: 4 }

/** The body as JSON. @throws as `readBody` and `parseBody` */
export const readJsonBody = async (
  koa: KoaContext,
  { bodyBytes, jsonDepth }: Pick<Limits, 'bodyBytes' | 'jsonDepth'> = SMALL,
): Promise<unknown> => parseBody(await readBody(koa, bodyBytes), jsonDepth)

/** Characters that are scanned in a microsecond, before and after parsing. */
const CHARACTERS_PER_STEP = 100

/**
 * @param what of the request the text is, in messages
 * @throws FhirError 400 saying where the text stops being JSON, that it is nested too deeply, or which name it repeats;
 *   413 when it has too many values
 * @throws BudgetError
 */
export function parseBody(text: string, maxDepth: number, what = 'The body'): unknown {
  if (text.trim() === '') throw badRequest(`${what} is empty; it must be a JSON document`)
  spend(text.length / CHARACTERS_PER_STEP, READING)
  const count = countJson(text, maxDepth)
  if (count === undefined) throw tooDeep(what, maxDepth)
  if (count.values > MAX_JSON_VALUES) throw tooManyValues(what)
  const value = parsed(text, what)
  if (!hasAllNames(value, count.names)) throw repeated(what, repeatedName(text)?.slice(0, 64))
  return mayHaveMarkers(text) ? withMarkers(value) : value
}

const repeated = (what: string, name: string | undefined): FhirError =>
  badRequest(`${what} has two properties '${name}' in one object; JSON takes one of each name`)

/** The resource of an XML body in its JSON form. @throws FhirError 400 naming line, column and element, 413. @throws BudgetError */
export function parseXmlBody(text: string, maxDepth: number): unknown {
  if (text.trim() === '') throw badRequest('The body is empty; it must be an XML document')
  const resource = readXml(text)
  if (isDeeper(resource, maxDepth)) throw tooDeep('The body', maxDepth)
  return mayHaveMarkers(text) ? withMarkers(resource) : resource
}

const READING = 'reading its body'

const tooManyValues = (what: string): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `${what} has more than ${MAX_JSON_VALUES} values, objects and arrays counted; send it in parts`,
  })

const tooDeep = (what: string, maxDepth: number): FhirError =>
  badRequest(`${what} is nested deeper than ${maxDepth} levels, the most this server takes`)

function isDeeper(value: unknown, levels: number): boolean {
  if (!Array.isArray(value) && !isObject(value)) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}

function parsed(text: string, what: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    rethrowBudgetError(error)
    throw badRequest(`${what} is not JSON: ${syntaxProblem(error)}`)
  }
}

// V8 quotes a piece of the text in its messages, which may be patient data: only the position is passed on.
function syntaxProblem(error: unknown): string {
  const position = /position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(error instanceof Error ? error.message : '')
  if (position === null) return 'it ends too early or has a syntax error'
  return position[2] === undefined
    ? `syntax error at character ${position[1]}`
    : `syntax error in line ${position[2]}, column ${position[3]}`
}

/** Whether it is a non-empty text. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The value of `{"enabled": …}`. @throws FhirError 400 */
export function readSwitch(body: unknown): boolean {
  if (isObject(body) && typeof body.enabled === 'boolean' && Object.keys(body).length === 1) return body.enabled
  throw badRequest('The body must be {"enabled": true} or {"enabled": false}')
}

/** The beginning of a body that is received in the pieces in which it arrives: of a Binary, as its bytes. */
export interface Beginning {
  /** As many bytes as requested, or a few more where the body has them. */
  readonly bytes: Buffer
  /** It is the whole body. */
  readonly isAll: boolean
}

/**
 * The next pieces. A caller that stops early can read on later, or leave the rest to `discardRest`.
 * @throws FhirError 400 for a body that breaks off; as `inflated`
 */
export async function* bodyPieces(koa: Pick<KoaContext, 'req' | 'state'>): AsyncGenerator<Buffer> {
  try {
    // The default would close the connection when the loop is left early, so that the client would never get the
    // response.
    for await (const piece of streamOf(koa).iterator({ destroyOnReturn: false })) yield piece
  } catch (error) {
    if (error instanceof FhirError) throw error
    throw badRequest('The body ended before its announced length')
  }
}

/** The body as it arrives, inflated where it is gzip. */
function streamOf(koa: Pick<KoaContext, 'req' | 'state'>): Readable {
  if (!isGzip(encodingOf(koa))) return koa.req
  const state = stateOf(koa)
  // An error between two readings is thrown by the next one.
  state.inflating ??= Readable.from(inflated(koa.req), { objectMode: false }).on('error', () => undefined)
  return state.inflating
}

/** @param length bytes */
export async function beginningOf(koa: Pick<KoaContext, 'req' | 'state'>, length: number): Promise<Beginning> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of bodyPieces(koa)) {
    pieces.push(piece)
    size += piece.length
    if (size >= length) break
  }
  const { complete, readableLength } = koa.req
  const { inflating } = stateOf(koa)
  const isAll = inflating === undefined ? complete && readableLength === 0 : inflating.readableEnded
  return { bytes: Buffer.concat(pieces), isAll }
}

/** Makes the bytes readable again. */
export function giveBack(koa: Pick<KoaContext, 'req' | 'state'>, { bytes, isAll }: Beginning): void {
  // Nothing can be added to a stream that has ended: the body has been received (see receivedBytes).
  if (isAll) stateOf(koa).bodyBytes = Promise.resolve(bytes)
  else streamOf(koa).unshift(bytes)
}

export async function* withRest(
  koa: Pick<KoaContext, 'req' | 'state'>,
  { bytes, isAll }: Beginning,
): AsyncGenerator<Buffer> {
  yield bytes
  if (!isAll) yield* bodyPieces(koa)
}

/** Most bytes and milliseconds of a discarded body; beyond either, its connection is closed. */
export const MAX_BYTES = 256 * 1024 * 1024
export const MAX_MS = 10_000

/**
 * A client that sends `Expect: 100-continue` waits for permission to send its body. Node would give it before the
 * request is examined; here it is given when the body is read (https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1).
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
}

/**
 * Bytes that are discarded in one turn of the event loop, where one body has its turn at a time: from a connection that
 * has sent much, Node reads megabytes in a row.
 */
const TURN = 256 * 1024

const turns = new FairTurns()

/** Discards the unread rest of a body as it arrives. Called when the response is about to be sent. */
export function discardRest(koa: Pick<KoaContext, 'req' | 'state'>): void {
  const { req } = koa
  if (req.complete || !hasBody(req)) return
  const entrant = { clinic: stateOf(koa).holder ?? '', token: '' }
  let [left, turn] = [MAX_BYTES, TURN]
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    turn -= chunk.length
    if (left < 0) req.destroy()
    if (turn > 0) return
    turn = TURN
    req.pause()
    void turns.next(entrant).then(() => req.resume())
  })
  const timer = setTimeout(() => req.destroy(), MAX_MS).unref()
  req.once('close', () => clearTimeout(timer))
  req.resume()
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
