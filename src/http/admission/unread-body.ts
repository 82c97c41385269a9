/**
 * Bodies that are not read, because the request was refused before: those of polite clients are never sent, and others
 * are received and discarded, so that a client that sends everything before it reads gets its response.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Context as KoaContext } from 'koa'
import { FairTurns } from '../../isolation/fair-queue.ts'
import { stateOf } from '../exchange.ts'

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
