/**
 * Keeps a thread that writes what is kept beside the resources: starts it when it is first needed, and another one when it has
 * ended by a fault.
 */
import { type Transferable, Worker } from 'node:worker_threads'
import { StoreUnavailable } from './port.ts'
import { type SentError, toThrown } from './thread-errors.ts'

/** What the thread is given. */
export interface SideOrder<Order> {
  readonly number: number
  readonly order: Order
}

/** What the thread answers to an order. */
export interface SideReply {
  /** Of the order. */
  readonly number: number
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
  /** By the numbers of their orders. */
  #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #number = 0
  #noticedAt: number | undefined

  constructor(parts: SideThreadParts) {
    this.#parts = parts
  }

  /** When the server's log was last told something: milliseconds since 1970 UTC. */
  get noticedAt(): number | undefined {
    return this.#noticedAt
  }

  /**
   * @param transfer what the thread takes over, without a copy
   * @throws StoreUnavailable, or what the thread met
   */
  write(order: Order, transfer: readonly Transferable[] = []): Promise<void> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    // A server that is stopped waits for what it has sent.
    worker.ref()
    this.#number += 1
    const number = this.#number
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject })
      worker.postMessage({ number, order } satisfies SideOrder<Order>, transfer)
    })
  }

  /** Ends the thread when it has done, or given up, what it was given. */
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
    // What it met is said by those that wait for it.
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
