/**
 * Bodies that are sent with `Content-Encoding: gzip` (https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3), inflated
 * while they arrive, by the thread pool: a body that inflates beyond its limits is refused before it is in memory.
 */
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { badRequest, FhirError } from '../../fhir/outcome.ts'

/** Most bytes of a body for each byte that is sent. FHIR in JSON has 5 to 30, gzip itself reaches a thousand. */
const MOST_FOR_EACH = 100

/** Bytes of a body that may come of few. */
const ALWAYS = 64 * 1024

/** Most bytes of a body of which so many are sent. */
export const mostInflated = (sent: number): number => Math.max(ALWAYS, sent * MOST_FOR_EACH)

/** Bytes that are inflated at once. */
const PIECE = 64 * 1024

/**
 * The source stays open, so that a client can still be sent the response.
 * @throws FhirError 400 for what is no gzip or ends too early, 413 for what inflates to far more than was sent
 */
export async function* inflated(source: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE })
  let isBroken = false
  source.once('error', () => {
    isBroken = true
    gunzip.destroy(new Error('The source broke off'))
  })
  source.pipe(gunzip)
  let size = 0
  try {
    for await (const piece of gunzip) {
      size += piece.length
      if (size > mostInflated(gunzip.bytesWritten)) throw inflatesTooMuch()
      yield piece
    }
  } catch (error) {
    throw error instanceof FhirError || isBroken ? error : notGzip()
  } finally {
    source.unpipe(gunzip)
    gunzip.destroy()
  }
}

const notGzip = (): FhirError =>
  badRequest('The body is not gzip, or ends too early, although its Content-Encoding is gzip')

const inflatesTooMuch = (): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `The body inflates to more than ${MOST_FOR_EACH} bytes for each byte of gzip; send it without Content-Encoding`,
  })
