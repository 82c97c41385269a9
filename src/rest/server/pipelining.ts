/**
 * Pipelining (https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2): requests that a client sends on one connection without
 * waiting for the answers. Node takes in hundreds of them at once, before it looks at any other connection.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { whenClosed } from './http-response.ts'

/** Requests of one connection that may wait for their answers. A client that sends more loses the connection. */
const MOST = 64

export function limitPipelining(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  const add = (socket: Socket, change: 1 | -1): number => {
    const number = (waiting.get(socket) ?? 0) + change
    waiting.set(socket, number)
    return number
  }
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    if (add(socket, 1) > MOST) {
      socket.destroy()
      return
    }
    whenClosed(response, () => add(socket, -1))
    listener(request, response)
  }
}
