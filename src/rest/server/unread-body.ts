/**
 * Bodies that are not read, because the request is refused before: those of polite clients are never sent, and others
 * are received and thrown away, so that a client that sends everything before it reads gets its answer.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Context as KoaContext } from 'koa'

/** Bytes and milliseconds of a body that is thrown away; beyond either, its connection is closed. */
export const MAX_BYTES = 256 * 1024 * 1024
export const MAX_MS = 10_000

/**
 * A client that sends `Expect: 100-continue` waits until its body is wanted. Node would say so before the request is
 * looked at; here it is said when the body is read (https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1).
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
}

/** Called when the answer is about to be sent. What has not been read of the body is thrown away as it comes. */
export function discardRest({ req }: Pick<KoaContext, 'req'>): void {
  if (req.complete || !hasBody(req)) return
  let left = MAX_BYTES
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) req.destroy()
  })
  const timer = setTimeout(() => req.destroy(), MAX_MS).unref()
  req.once('close', () => clearTimeout(timer))
  req.resume()
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
