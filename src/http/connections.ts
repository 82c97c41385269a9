/**
 * The connections of the HTTP server: how many requests each may have under way, how their responses are sent, and how they
 * end before a shutdown.
 */

import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { promisify } from 'node:util'
import { forNoRequest } from '../isolation/budget.ts'
import { UnorderedList } from '../isolation/unordered-list.ts'

/**
 * Milliseconds that a response waits for others at most. Responses that become ready in the same turn of the event loop are
 * sent together at its end: a write to a socket may wake a sleeping process, and then costs several times as much as beside
 * other writes. Measured with 16 connections, a read takes 0.055 ms of processor time instead of 0.08.
 */
const LONGEST_WAIT = 1

interface Ready {
  readonly send: () => void
  /** As of performance.now(). */
  readonly since: number
}

/** Ready responses of this thread, in order. */
let ready: Ready[] = []

function sendReady(): void {
  const sent = ready
  ready = []
  for (const { send } of sent) send()
}

function sendSoon(send: () => void): void {
  const since = performance.now()
  if (ready.push({ send, since }) === 1) forNoRequest(setImmediate, sendReady)
  else if (since - (ready[0]?.since ?? since) > LONGEST_WAIT) forNoRequest(sendReady)
}

export class HttpResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  readonly #whenClosed: (() => void)[] = []

  constructor(...parameters: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...parameters)
    this.on('close', () => {
      for (const work of this.#whenClosed) work()
    })
  }

  override end(...parameters: unknown[]): this {
    sendSoon(() => super.end(...(parameters as [])))
    return this
  }

  /** A list costs a fraction of an event listener for each. */
  whenClosed(work: () => void): void {
    this.#whenClosed.push(work)
  }
}

/** Runs `work` when the response has been sent, or its connection has broken off; at once where it has already. */
export function whenClosed(response: ServerResponse, work: () => void): void {
  // A client may have left while an earlier stage waited.
  if (response.closed) work()
  else if (response instanceof HttpResponse) response.whenClosed(work)
  else response.once('close', work)
}

/** Milliseconds that requests in progress have left when the shutdown begins. */
const GRACE = 8_000

/** Milliseconds: a server without a request for so long, and without a connection, has nobody to linger for. */
const LATELY = 15_000

export interface Drain {
  /**
   * Milliseconds for which requests are still taken, from new connections too: those on their way, and those of a balancer
   * that has not noticed yet.
   */
  readonly lingerMs?: number
}

/**
 * Watches the requests of `server`. The returned function shuts it down: each request in progress, or that comes while it
 * lingers, is answered as the last one of its connection. Then no more connections are accepted, and when the requests are
 * answered, or their time is up, all others are closed: idle ones, and uploads that have stalled.
 */
export function drainable(server: Server, grace = GRACE): (drain?: Drain) => Promise<void> {
  const underWay = new UnorderedList<ServerResponse>()
  let ending = false
  let lastRequest = Number.NEGATIVE_INFINITY
  server.prependListener('request', (_request, response) => {
    lastRequest = performance.now()
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
    const isUsed = performance.now() - lastRequest < LATELY || (await connectionsOf(server)) > 0
    if (lingerMs > 0 && isUsed) await after(lingerMs, undefined, { ref: false })
    server.close()
    if (underWay.size > 0) await Promise.race([once(server, 'drained'), timeIsUp])
    server.closeAllConnections()
    await closed
  }
}

const connectionsOf = promisify<Server, number>((server, report) => server.getConnections(report))

/** Otherwise a client could send further requests on a connection that it keeps open. */
function lastOfItsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/** Requests of one connection that may wait for their responses. A client that sends more loses the connection. */
const MOST = 64
/** Requests of one connection in progress at the same time: their responses are sent in order anyway. */
const AT_ONCE = 4

/** Unfinished responses of a connection. */
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

/**
 * Limits pipelining (https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2): requests that a client sends on one connection
 * without waiting for the responses. Node accepts hundreds of them at once, before it serves any other connection. They
 * wait in a list of their connection, before it is known whose they are: the fair queue would let them change their order.
 */
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

/** Addresses to connect to, for a server that listens on every address. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where a server reaches itself; undefined while it does not listen. */
export function ownAddress(server: Server): { readonly host: string; readonly port: number } | undefined {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return undefined
  return { host: LOOPBACK[bound.address] ?? bound.address, port: bound.port }
}
