/**
 * Pipelining (https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2): requests that a client sends on one connection without
 * waiting for the answers. Node takes in hundreds of them at once, before it looks at any other connection.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { whenClosed } from './http-response.ts'

/** Requests of one connection that may wait for their answers. A client that sends more loses the connection. */
const MOST = 64

export interface ConnectionAnswers {
  /** Requests that wait for their answers. */
  waiting: number
  /** The answer of the last of them. */
  last: ServerResponse
}

const connections = new WeakMap<Duplex, ConnectionAnswers>()

/** Responses of a connection that are being made, or sent: how many, and the last of them, as they end in their order. */
export const answersOn = (socket: Duplex): Readonly<ConnectionAnswers> | undefined => {
  const connection = connections.get(socket)
  return connection === undefined || connection.waiting === 0 ? undefined : connection
}

export function limitPipelining(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    const connection = connections.get(socket) ?? { waiting: 0, last: response }
    if (connection.waiting === 0) connections.set(socket, connection)
    connection.waiting += 1
    connection.last = response
    if (connection.waiting > MOST) {
      socket.destroy()
      return
    }
    whenClosed(response, () => {
      connection.waiting -= 1
    })
    listener(request, response)
  }
}
