/**
 * Runs a thread that writes records beside the resources, such as the audit trail: started on first use, and again
 * after a fault has ended it.
 */
import { type Transferable, Worker } from 'node:worker_threads'
import { StoreUnavailable } from './port.ts'
import { type SentError, toThrown } from './thread-errors.ts'

/** A message to the thread. */
export interface SideOrder<Order> {
  readonly number: number
  readonly order: Order
}

/** The thread's reply to an order. */
export interface SideReply {
  /** The number of the order. */
  readonly number: number
  /** Undefined: written. */
  readonly error: SentError | undefined
  /** A notice for the server's log. */
  readonly notice?: string
}

/** Sent instead of an order: ends the thread. */
export const CLOSE = 'close'

export interface SideThreadParts {
  /** The file that the thread runs. */
  readonly entry: string
  /** The thread's task, for messages: `writes the audit trail`. */
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
  /** By the numbers of their orders. */
  #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #number = 0
  #noticedAt: number | undefined

  constructor(parts: SideThreadParts) {
    this.#parts = parts
  }

  /** When the last notice for the server's log arrived: milliseconds since 1970 UTC. */
  get noticedAt(): number | undefined {
    return this.#noticedAt
  }

  /**
   * @param transfer objects handed over to the thread without a copy
   * @throws StoreUnavailable, or the error that occurred in the thread
   */
  write(order: Order, transfer: readonly Transferable[] = []): Promise<void> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    // A stopping server waits for orders under way.
    worker.ref()
    this.#number += 1
    const number = this.#number
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject })
      worker.postMessage({ number, order } satisfies SideOrder<Order>, transfer)
    })
  }

  /** Ends the thread once it has finished, or given up, its orders. */
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
    worker.on('message', ({ number, error, notice }: SideReply) => {
      if (notice !== undefined) {
        this.#noticedAt = Date.now()
        onNotice?.(notice)
      }
      const waiting = this.#waiting.get(number)
      this.#waiting.delete(number)
      if (this.#waiting.size === 0) worker.unref()
      if (error === undefined) waiting?.resolve()
      else waiting?.reject(toThrown(error))
    })
    // The waiting orders report the error.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      const left = this.#waiting
      this.#waiting = new Map()
      for (const { reject } of left.values()) reject(new StoreUnavailable(`The thread that ${what} has ended`))
    })
    return worker
  }
}
