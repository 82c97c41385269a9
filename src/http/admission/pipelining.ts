/**
 * Pipelining (https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2): requests that a client sends on one connection
 * without waiting for the responses. Node accepts hundreds of them at once, before it serves any other connection. They
 * wait in a list of their connection, before it is known whose they are: the fair queue would let them change their order.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { whenClosed } from '../http-response.ts'

/** Requests of one connection that may wait for their responses. A client that sends more loses the connection. */
const MOST = 64
/** Requests of one connection in progress at the same time: their responses are sent in order anyway. */
const AT_ONCE = 4
/** A number of requests that the next one exceeds; 0 would be no limit. */
const LESS_THAN_ONE = 0.5

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
  return function (this: Server, request: IncomingMessage, response: ServerResponse) {
    const { socket } = request
    if (socket.destroyed) return
    const connection = connections.get(socket) ?? newConnection(socket, response)
    if (connection.waiting === MOST) {
      socket.destroy()
      dropRest(this)
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
 * Makes Node drop the rest of the chunk, which may be two thousand requests: it reads the limit with each request
 * (https://nodejs.org/docs/latest-v24.x/api/http.html#servermaxrequestspersocket), and counts from when there is one.
 * Promises are looked after between any two connections, so no other connection meets the limit.
 */
function dropRest(server: Server): void {
  server.maxRequestsPerSocket = LESS_THAN_ONE
  queueMicrotask(() => {
    server.maxRequestsPerSocket = 0
  })
}

function newConnection(socket: Duplex, last: ServerResponse): Connection {
  const connection = { waiting: 0, last, held: [] }
  connections.set(socket, connection)
  return connection
}
