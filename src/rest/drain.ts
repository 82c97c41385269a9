/** The end of a server: what is under way is finished, and nobody holds it up for ever. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'

/** Milliseconds that requests under way have, once the server is to end. */
const GRACE = 8_000

/**
 * Watches the requests of `server`. The function it gives back ends it: no new connection is taken, requests under way
 * are answered, and then, or when their time is up, what is still open is closed: connections without a request, uploads
 * that do not move on.
 */
export function drainable(server: Server, grace = GRACE): () => Promise<void> {
  let underWay = 0
  server.on('request', (_request, response) => {
    underWay++
    response.once('close', () => {
      underWay--
      if (underWay === 0) server.emit('drained')
    })
  })
  return async () => {
    const closed = once(server, 'close')
    server.close()
    if (underWay > 0) {
      const stopped = new AbortController()
      const { signal } = stopped
      await Promise.race([once(server, 'drained', { signal }), after(grace, undefined, { signal })])
      stopped.abort()
    }
    server.closeAllConnections()
    await closed
  }
}
