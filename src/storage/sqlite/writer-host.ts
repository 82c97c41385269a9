/** Runs the writer thread: started on first use, and again after a fault has ended it. */
import { join } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { SentOptions } from './engines.ts'
import type { WriterOrder } from './writer-protocol.ts'

/** Megabytes. Several change sets of the largest size allowed by the configuration must fit in. */
const LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 8 }

const ENTRY = join(import.meta.dirname, 'writer-thread.ts')

export interface ThreadListener {
  /** Called when a thread has ended unexpectedly. */
  readonly onFault?: ((error: unknown) => void) | undefined
  /** Set by tests only. */
  readonly onThread?: ((worker: Worker) => void) | undefined
}

export class WriterHost {
  readonly #options: () => SentOptions
  readonly #listener: ThreadListener
  #worker: Worker | undefined
  #isClosed = false

  constructor(options: () => SentOptions, listener: ThreadListener) {
    this.#options = options
    this.#listener = listener
  }

  /** A port for a client in this thread; undefined: the host is closed. */
  readonly connect = (): MessagePort | undefined => {
    const { port1, port2 } = new MessageChannel()
    return this.give(port2) ? port1 : undefined
  }

  /** Gives the writer the port of a client in any thread. False: the host is closed. */
  give(port: MessagePort): boolean {
    if (this.#isClosed) {
      port.close()
      return false
    }
    this.#worker ??= this.#start()
    this.#worker.postMessage({ kind: 'connect', port } satisfies WriterOrder, [port])
    return true
  }

  /** Ends the thread once it has done its orders. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker === undefined) return
    worker.ref()
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve())
      worker.postMessage({ kind: 'close' } satisfies WriterOrder)
    })
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { workerData: this.#options(), resourceLimits: LIMITS, name: 'store writer' })
    worker.unref()
    worker.on('error', (error) => this.#listener.onFault?.(error))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    this.#listener.onThread?.(worker)
    return worker
  }
}
