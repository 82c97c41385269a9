/**
 * Pipelining (https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2): requests that a client sends on one connection without
 * waiting for the answers. Node takes in hundreds of them at once, before it looks at any other connection.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { whenClosed } from '../http-response.ts'

/** Requests of one connection that may wait for their answers. A client that sends more loses the connection. */
const MOST = 64
/** Of these, so many are worked on at the same time: their answers are sent in the order of the requests anyway. */
const AT_ONCE = 4

export interface ConnectionAnswers {
  /** Requests that wait for their answers. */
  waiting: number
  /** The answer of the last of them. */
  last: ServerResponse
}

interface Connection extends ConnectionAnswers {
  /** Those that are not worked on yet. */
  readonly held: (() => void)[]
}

const connections = new WeakMap<Duplex, Connection>()

/** Responses of a connection that are being made, or sent: how many, and the last of them, as they end in their order. */
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
 * Node would take in what is left of the chunk, which may be two thousand requests. Its parser has no documented way to stop;
 * where headers are answered with 2, what follows them is another protocol. Parsers are reused, and get another listener then.
 */
function stopParsing(socket: Duplex & { readonly parser?: { onIncoming: () => number } }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2
}

function newConnection(socket: Duplex, last: ServerResponse): Connection {
  const connection = { waiting: 0, last, held: [] }
  connections.set(socket, connection)
  socket.prependOnceListener('close', () => closeWithoutStacks(connection))
  return connection
}

/**
 * When a connection closes, Node makes two errors for each of its requests that has no answer, and the stack of each, which is
 * the same and says nothing. Of a thousand requests that takes longer than anybody else may wait.
 */
function closeWithoutStacks({ waiting }: ConnectionAnswers): void {
  if (waiting <= AT_ONCE) return
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  // The listeners of one event run before it.
  queueMicrotask(() => {
    Error.stackTraceLimit = stackTraceLimit
  })
}
