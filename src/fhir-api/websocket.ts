/**
 * The websocket of Subscriptions at /websocket: how a connection is opened, woken, kept within limits and ended.
 * https://www.rfc-editor.org/rfc/rfc6455, docs/subscriptions.md
 */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import { type WebSocket, WebSocketServer } from 'ws'
import { boundAgent } from '../events/owner.ts'
import { type SocketParts, type SocketServices, SubscriptionSocket } from '../events/socket.ts'
import { FhirError } from '../fhir/outcome.ts'
import { userAgentOf, userOf } from '../http/exchange.ts'
import { forNoRequest } from '../isolation/budget.ts'
import { type Rate, TokenBucket, TokenBuckets } from '../isolation/token-bucket.ts'
import { Watcher } from '../record/journal/live.ts'
import { type SocketRecords, socketRecorder } from './websocket-records.ts'

/** Below /as/{profile} too, as the CapabilityStatement there names it. */
const PATH = /^(?:\/as\/[\w.-]+)?\/websocket$/

/** Milliseconds between two looks for what other processes have logged; what this one logs wakes the connections at once. */
const LOOK = 250
/** Milliseconds until a connection is bound to something, and between two pings. */
const UNBOUND = 30_000
const PING = 30_000
/** Bytes of a message of the client. */
const MOST_RECEIVED = 4_096
/** Bytes that a client has still to read: beyond the first number it is told of no further events, beyond the second it ends. */
const UNREAD = { some: 4 * 1024 * 1024, most: 32 * 1024 * 1024 }
/** Connections of a clinic, those of nobody yet, and messages of one that wait. */
const MOST_OF_CLINIC = 50
const MOST_UNBOUND = 100
const MOST_WAITING = 50
/** Messages of a connection; bindings and openings of a clinic, which read as much as requests do. */
const MESSAGES: Rate = { rate: 5, burst: 40 }
const BINDINGS: Rate = { rate: 50, burst: 1_500 }
const OPENINGS: Rate = { rate: 5, burst: 100 }

/** https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const CLOSE = { done: 1000, goingAway: 1001, policy: 1008, tooSlow: 1013 } as const

interface Opening extends SocketServices, SocketRecords {
  readonly koa: Koa
  /** The stages that know the user and the clinic of a token. */
  readonly authenticate: Middleware
  readonly baseOf: (koa: Koa.Context) => string
}

/** Whether a request asks for the websocket. Others with an `Upgrade`, such as that of HTTP/2, are served as they are. */
export const asksForSocket = ({ url = '', headers: { upgrade = '' } }: IncomingMessage): boolean =>
  upgrade.toLowerCase() === 'websocket' && PATH.test(url.split('?', 1)[0] ?? '')

export class SubscriptionSockets {
  readonly #opening: Opening
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MOST_RECEIVED, perMessageDeflate: false })
  readonly #connections = new Map<Connection, string | undefined>()
  readonly #bindings = new TokenBuckets(() => BINDINGS)
  readonly #openings = new TokenBuckets(() => OPENINGS)
  #isClosed = false

  constructor(server: Server, opening: Opening) {
    this.#opening = opening
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      void forNoRequest(() => this.#upgrade(request, socket, head)).catch(() => socket.destroy())
    })
  }

  /** Something has been logged for a clinic by this process. */
  wake(clinic: string): void {
    for (const [connection, own] of this.#connections) if (own === clinic) connection.wake()
  }

  /** Ends all connections, so that a server that is stopping does not wait for them. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#connections.keys()) connection.end(CLOSE.goingAway, 'the server is stopping')
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!asksForSocket(request)) return refuse(socket, '426 Upgrade Required')
    if (this.#isClosed) return refuse(socket, '503 Service Unavailable')
    const koa = this.#opening.koa.createContext(request, new ServerResponse(request))
    try {
      const opened = request.headers.authorization === undefined ? undefined : await this.#openedBy(koa)
      // One with a token counts for its clinic at once, so that strangers cannot take its place, nor it theirs.
      if (opened === undefined && this.#countOf(undefined) >= MOST_UNBOUND)
        return refuse(socket, '503 Service Unavailable')
      if (opened !== undefined && !this.#mayOpen(opened.clinic)) return refuse(socket, '429 Too Many Requests')
      this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#connect(webSocket, koa, opened))
    } catch (error) {
      const status = error instanceof FhirError ? error.status : 500
      socketRecorder(this.#opening, koa, '').refused(status)
      refuse(socket, `${status} Refused`)
    }
  }

  /** @throws FhirError 401, 403 or 503 */
  async #openedBy(koa: Koa.Context): Promise<SocketParts['opened']> {
    const { access, authenticate } = this.#opening
    await authenticate(koa, async () => {})
    const { clinic } = userOf(koa)
    return { clinic, ...(await boundAgent(await access(clinic, userAgentOf(koa)).reader())) }
  }

  #connect(webSocket: WebSocket, koa: Koa.Context, opened: SocketParts['opened']): void {
    const baseUrl = this.#opening.baseOf(koa)
    const connection: Connection = new Connection(webSocket, {
      ...this.#opening,
      baseUrl,
      record: socketRecorder(this.#opening, koa, baseUrl).record,
      ...(opened === undefined ? {} : { opened }),
      send: (text) => connection.send(text),
      isBehind: () => connection.isBehind,
      mayJoin: (clinic) => {
        // It may have been closed while its token was looked up.
        if (!this.#connections.has(connection)) return false
        const isThere = this.#connections.get(connection) === clinic
        if (!isThere && !this.#hasRoom(clinic)) return false
        this.#connections.set(connection, clinic)
        return true
      },
      mayBind: (clinic) => this.#bindings.of(clinic).take(Date.now()),
    })
    this.#connections.set(connection, opened?.clinic)
    webSocket.once('close', () => this.#connections.delete(connection))
    if (this.#isClosed) connection.end(CLOSE.goingAway, 'the server is stopping')
  }

  #hasRoom(clinic: string): boolean {
    return this.#countOf(clinic) < MOST_OF_CLINIC
  }

  /** False also where it has opened many, one after the other. */
  #mayOpen(clinic: string): boolean {
    return this.#hasRoom(clinic) && this.#openings.of(clinic).take(Date.now())
  }

  #countOf(clinic: string | undefined): number {
    let count = 0
    for (const one of this.#connections.values()) if (one === clinic) count += 1
    return count
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

class Connection {
  readonly #webSocket: WebSocket
  readonly #socket: SubscriptionSocket
  readonly #watcher = new Watcher()
  readonly #messages = new TokenBucket(MESSAGES)
  /** Messages are handled one after the other. */
  #handled: Promise<void> = Promise.resolve()
  #waiting = 0
  #isAlive = true

  constructor(webSocket: WebSocket, parts: SocketParts) {
    this.#webSocket = webSocket
    this.#socket = new SubscriptionSocket(parts)
    webSocket.on('message', (data, isBinary) => this.#receive(isBinary ? '' : String(data)))
    webSocket.on('error', () => webSocket.terminate())
    webSocket.on('pong', () => {
      this.#isAlive = true
    })
    webSocket.once('close', () => this.#watcher.end())
    void this.#watch()
  }

  wake(): void {
    this.#watcher.wake()
  }

  get isBehind(): boolean {
    return this.#watcher.isEnded || this.#webSocket.bufferedAmount > UNREAD.some
  }

  send(text: string): void {
    if (this.#webSocket.bufferedAmount > UNREAD.most) this.end(CLOSE.tooSlow, 'too much is unread')
    else if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.send(text)
  }

  end(code: number, reason: string): void {
    this.#watcher.end()
    this.#webSocket.close(code, reason)
    if (code === CLOSE.goingAway || code === CLOSE.tooSlow) this.#webSocket.terminate()
  }

  #receive(text: string): void {
    this.#waiting += 1
    if (this.#waiting > MOST_WAITING || !this.#messages.take(Date.now())) this.end(CLOSE.policy, 'too many messages')
    else this.#handled = this.#handled.then(() => this.#handle(text))
  }

  async #handle(text: string): Promise<void> {
    try {
      await this.#socket.receive(text)
    } catch {
      this.send('error the server could not do it; try again')
    } finally {
      this.#waiting -= 1
      this.wake()
    }
  }

  /** Messages and looks alternate, so that `bound` comes before what it is bound to. */
  async #watch(): Promise<void> {
    let [since, pingedAt] = [Date.now(), Date.now()]
    for (;;) {
      await this.#watcher.next(LOOK)
      await this.#handled
      if (this.#watcher.isEnded) return
      const end = await this.#look()
      if (end !== undefined) return this.end(CLOSE.done, end)
      if (this.#socket.isBound) since = Date.now()
      else if (Date.now() - since > UNBOUND) return this.end(CLOSE.policy, 'it was bound to nothing')
      if (Date.now() - pingedAt < PING) continue
      pingedAt = Date.now()
      this.#ping()
    }
  }

  /** A store that cannot be read is looked at again. */
  async #look(): Promise<string | undefined> {
    try {
      return await this.#socket.look()
    } catch {
      return undefined
    }
  }

  #ping(): void {
    if (!this.#isAlive) this.#webSocket.terminate()
    this.#isAlive = false
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping()
  }
}
