/** Keeps the thread that writes the audit trail: starts it when it is first needed, and another one when it has ended by a fault. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { AuditBlock } from '../audit-port.ts'
import { StoreUnavailable } from '../port.ts'
import type { AuditOrder, AuditReply } from './audit-thread.ts'
import type { AuditFileOptions } from './audit-writer.ts'
import { toThrown } from './thread-errors.ts'

const ENTRY = join(import.meta.dirname, 'audit-thread.ts')

/** Megabytes. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

interface Waiting {
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

export class AuditThreadClient {
  readonly #options: AuditFileOptions
  /** In the order of what was sent, as the answers come. */
  #waiting: Waiting[] = []
  #worker: Worker | undefined

  constructor(options: AuditFileOptions) {
    this.#options = options
  }

  /** @throws StoreUnavailable, or what the thread met */
  write(blocks: readonly AuditBlock[]): Promise<void> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    // A server that is stopped waits for what it has sent.
    worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      worker.postMessage(blocks satisfies AuditOrder)
    })
  }

  /** Ends the thread when it has done what it was given. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    worker.ref()
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve())
      worker.postMessage('close' satisfies AuditOrder)
    })
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { workerData: this.#options, resourceLimits: LIMITS, name: 'audit trail' })
    worker.unref()
    worker.on('message', ({ error }: AuditReply) => {
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
      for (const { reject } of left) reject(new StoreUnavailable('The thread that writes the audit trail has ended'))
    })
    return worker
  }
}
