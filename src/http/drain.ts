/** Graceful shutdown: requests in progress are answered, within a limit of time. */
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { UnorderedList } from '../isolation/unordered-list.ts'
import { whenClosed } from './http-response.ts'

/** Milliseconds that requests in progress have left when the shutdown begins. */
const GRACE = 8_000

export interface Drain {
  /** Milliseconds that connections without a request stay open, for one that may be on its way. */
  readonly lingerMs?: number
}

/**
 * Watches the requests of `server`. The returned function shuts it down: no new connection is accepted, and each request
 * in progress, or on a connection that lingers, is answered as the last one of its connection. Then, or when their time
 * is up, all other connections are closed: idle ones, and uploads that have stalled.
 */
export function drainable(server: Server, grace = GRACE): (drain?: Drain) => Promise<void> {
  const underWay = new UnorderedList<ServerResponse>()
  let ending = false
  server.prependListener('request', (_request, response) => {
    const remove = underWay.add(response)
    if (ending) lastOfItsConnection(response)
    whenClosed(response, () => {
      remove()
      if (underWay.size === 0) server.emit('drained')
    })
  })
  return async ({ lingerMs = 0 } = {}) => {
    ending = true
    const closed = once(server, 'close')
    for (const response of underWay) lastOfItsConnection(response)
    const timeIsUp = after(grace, undefined, { ref: false })
    if (lingerMs > 0) await linger(server, closed, lingerMs)
    server.close()
    if (underWay.size > 0) await Promise.race([once(server, 'drained'), timeIsUp])
    server.closeAllConnections()
    await closed
  }
}

/**
 * Takes no more connections and keeps those that there are: the client of an idle one may be sending a request at this
 * moment, which would be lost with a reset. Server.close of HTTP closes idle connections at once.
 */
async function linger(server: Server, closed: Promise<unknown>, milliseconds: number): Promise<void> {
  NetServer.prototype.close.call(server)
  await Promise.race([closed, after(milliseconds, undefined, { ref: false })])
}

/** Otherwise a client could send further requests on a connection that it keeps open. */
function lastOfItsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
