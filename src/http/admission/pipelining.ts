/**
 * Pipelining (https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2): requests that a client sends on one connection
 * without waiting for the responses. Node accepts hundreds of them at once, before it serves any other connection. They
 * wait in a list of their connection, before it is known whose they are: the fair queue would let them change their order.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { whenClosed } from '../http-response.ts'

/** Requests of one connection that may wait for their responses. A client that sends more loses the connection. */
const MOST = 64
/** Requests of one connection in progress at the same time: their responses are sent in order anyway. */
const AT_ONCE = 4

export interface ConnectionAnswers {
  /** Requests that wait for their responses. */
  waiting: number
  /** The response to the last of them. */
  last: ServerResponse
}

interface Connection extends ConnectionAnswers {
  /** Requests that have not been started. */
  readonly held: (() => void)[]
}

const connections = new WeakMap<Duplex, Connection>()

/** Unfinished responses of a connection: how many, and the last of them, as they end in order. */
export const answersOn = (socket: Duplex): Readonly<ConnectionAnswers> | undefined => {
  const connection = connections.get(socket)
  return connection === undefined || connection.waiting === 0 ? undefined : connection
}

export function limitPipelining(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    const connection = connections.get(socket) ?? newConnection(socket, response)
    if (connection.waiting === MOST) {
      stopParsing(socket)
      socket.destroy()
      return
    }
    connection.waiting += 1
    connection.last = response
    whenClosed(response, () => {
      connection.waiting -= 1
      if (!socket.destroyed) connection.held.shift()?.()
    })
    const begin = () => listener(request, response)
    if (connection.waiting > AT_ONCE) connection.held.push(begin)
    else begin()
  }
}

/**
 * Stops Node from accepting the rest of the chunk, which may be two thousand requests (docs/adr/028-mechanisms.md). Its
 * parser has no documented way to stop; a listener that returns 2 for headers declares another protocol behind them. Parsers are reused with a new
 * listener.
 */
function stopParsing(socket: Duplex & { readonly parser?: { onIncoming: () => number } }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2
}

function newConnection(socket: Duplex, last: ServerResponse): Connection {
  const connection = { waiting: 0, last, held: [] }
  connections.set(socket, connection)
  return connection
}
