/**
 * Keeps a thread that writes a file beside that of the resources: starts it when it is first needed, and another one when it
 * has ended by a fault.
 */
import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../port.ts'
import { type SentError, toThrown } from './thread-errors.ts'

/** What the thread answers to each order, one after the other. */
export interface SideReply {
  /** Undefined: written. */
  readonly error: SentError | undefined
  /** What the server's log is to say. */
  readonly notice?: string
}

/** Instead of an order: the end. */
export const CLOSE = 'close'

export interface SideThreadParts {
  /** The file that the thread runs. */
  readonly entry: string
  /** What it does, for messages: `writes the audit trail`. */
  readonly what: string
  readonly workerData: unknown
  readonly onNotice?: (notice: string) => void
}

/** Megabytes. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

interface Waiting {
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

export class SideThread<Order extends object> {
  readonly #parts: SideThreadParts
  /** In the order of what was sent, as the answers come. */
  #waiting: Waiting[] = []
  #worker: Worker | undefined

  constructor(parts: SideThreadParts) {
    this.#parts = parts
  }

  /** @throws StoreUnavailable, or what the thread met */
  write(order: Order): Promise<void> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    // A server that is stopped waits for what it has sent.
    worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      worker.postMessage(order)
    })
  }

  /** Ends the thread when it has done what it was given. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    worker.ref()
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve())
      worker.postMessage(CLOSE)
    })
  }

  #start(): Worker {
    const { entry, what, workerData, onNotice } = this.#parts
    const worker = new Worker(entry, { workerData, resourceLimits: LIMITS, name: what })
    worker.unref()
    worker.on('message', ({ error, notice }: SideReply) => {
      if (notice !== undefined) onNotice?.(notice)
      const first = this.#waiting.shift()
      if (this.#waiting.length === 0) worker.unref()
      if (error === undefined) first?.resolve()
      else first?.reject(toThrown(error))
    })
    // What it met is said by those that wait for it.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      const left = this.#waiting
      this.#waiting = []
      for (const { reject } of left) reject(new StoreUnavailable(`The thread that ${what} has ended`))
    })
    return worker
  }
}
