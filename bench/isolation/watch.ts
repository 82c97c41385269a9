/** Starts the thread of the probe, and receives its observations. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Observed, ProbeTarget } from './probe.ts'

const PROBE = join(import.meta.dirname, 'probe.ts')

export class Watch {
  readonly #worker: Worker

  constructor(target: ProbeTarget) {
    this.#worker = new Worker(PROBE, { workerData: target })
  }

  /** Observes until the returned function is called. */
  start(): () => Promise<Observed> {
    this.#worker.postMessage('start')
    return async () => {
      const observed = once(this.#worker, 'message')
      this.#worker.postMessage('end')
      const [result] = (await observed) as [Observed]
      return result
    }
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
