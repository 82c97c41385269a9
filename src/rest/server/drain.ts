/** The end of a server: what is under way is finished, and nobody holds it up for ever. */
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'

/** Milliseconds that requests under way have, once the server is to end. */
const GRACE = 8_000

/**
 * Watches the requests of `server`. The function it gives back ends it: no new connection is taken, requests under way
 * are answered, and then, or when their time is up, what is still open is closed: connections without a request, uploads
 * that do not move on.
 */
export function drainable(server: Server, grace = GRACE): () => Promise<void> {
  const underWay = new Set<ServerResponse>()
  let ending = false
  server.prependListener('request', (_request, response) => {
    underWay.add(response)
    if (ending) lastOfItsConnection(response)
    response.once('close', () => {
      underWay.delete(response)
      if (underWay.size === 0) server.emit('drained')
    })
  })
  return async () => {
    ending = true
    const closed = once(server, 'close')
    server.close()
    underWay.forEach(lastOfItsConnection)
    if (underWay.size > 0) await Promise.race([once(server, 'drained'), after(grace, undefined, { ref: false })])
    server.closeAllConnections()
    await closed
  }
}

/** Else a client that keeps its connection could go on with it. */
function lastOfItsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
