/**
 * Bodies that are sent with `Content-Encoding: gzip` (https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3) and files that are gzip,
 * inflated while they arrive, by the thread pool: what inflates beyond its limits is refused before it is in memory.
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

/** The errors for what is no gzip or ends too early, and for what inflates to far more than was sent. */
export interface InflationErrors {
  readonly notGzip: () => Error
  readonly tooMuch: () => Error
}

class TooMuch extends Error {}

/**
 * The source stays open, so that a client can still be sent the response.
 * @throws as `errors` say: for the body of a request FhirError 400, and 413
 */
export async function* inflated(source: Readable, errors: InflationErrors = OF_BODY): AsyncGenerator<Buffer> {
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
      if (size > mostInflated(gunzip.bytesWritten)) throw new TooMuch()
      yield piece
    }
  } catch (error) {
    if (error instanceof TooMuch) throw errors.tooMuch()
    throw isBroken ? error : errors.notGzip()
  } finally {
    source.unpipe(gunzip)
    gunzip.destroy()
  }
}

const OF_BODY: InflationErrors = {
  notGzip: () => badRequest('The body is not gzip, or ends too early, although its Content-Encoding is gzip'),
  tooMuch: () =>
    new FhirError(413, {
      code: 'too-long',
      diagnostics: `The body ${INFLATES_TOO_MUCH}; send it without Content-Encoding`,
    }),
}

export const INFLATES_TOO_MUCH = `inflates to more than ${MOST_FOR_EACH} bytes for each byte of gzip`
