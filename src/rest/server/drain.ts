/** Graceful shutdown: requests in progress are answered, within a limit of time. */
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'

/** Milliseconds that requests in progress have left when the shutdown begins. */
const GRACE = 8_000

/**
 * Watches the requests of `server`. The returned function shuts it down: no new connection is accepted, requests in
 * progress are answered, and then, or when their time is up, all other connections are closed: idle ones, and uploads
 * that have stalled.
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

/** Otherwise a client could send further requests on a connection that it keeps open. */
function lastOfItsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
