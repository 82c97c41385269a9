/**
 * The responses of the HTTP server. Responses that become ready in the same turn of the event loop are sent together at
 * its end: a write to a socket may wake a sleeping process, and then costs several times as much as beside other
 * writes. Measured with 16 connections, a read takes 0.055 ms of processor time instead of 0.08.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type IncomingMessage, ServerResponse } from 'node:http'

/** Milliseconds that a response waits for others at most. */
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

/**
 * Runs its argument outside the context of any request: what one response starts, such as the next request, is not part
 * of another one.
 */
const forNoRequest = AsyncLocalStorage.snapshot()

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

/** Runs `work` when the response has been sent, or its connection has broken off. */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response instanceof HttpResponse) response.whenClosed(work)
  else response.once('close', work)
}
