/**
 * The probe: a worker thread (started by watch.ts) that reads a resource of another clinic at fixed times over a
 * connection of its own, checks the health of the server over new connections, and records its memory.
 */
import { Agent, get } from 'node:http'
import { createHistogram } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { usageOf } from '../server-process.ts'

export interface ProbeTarget {
  readonly url: string
  readonly pid: number
  readonly path: string
  readonly authorization: string
}

/** Times in milliseconds, memory in bytes. */
export interface Observed {
  readonly reads: { readonly count: number; readonly p50: number; readonly p99: number; readonly max: number }
  /** Reads without a response 200. */
  readonly failedReads: number
  /** The longest wait for /health/live and /health/ready. */
  readonly health: number
  /** Checks without a response 200. */
  readonly failedHealth: number
  readonly memory: number
  /** How late the probe itself was at most: a sign that the machine had no processor for it. */
  readonly delay: number
}

const READ_EVERY = 10
const LOOK_EVERY = 100

const { url, pid, path, authorization } = workerData as ProbeTarget
const connection = new Agent({ keepAlive: true, maxSockets: 1 })

/** The status of the response, or undefined when there is none. */
const statusOf = (path: string, options: object): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = get(`${url}${path}`, options, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode))
      response.once('error', () => resolve(undefined))
    })
    request.once('error', () => resolve(undefined))
  })

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

class Observation {
  readonly #microseconds = createHistogram()
  #failedReads = 0
  #health = 0
  #failedHealth = 0
  #memory = 0
  #delay = 0
  #isOver = false
  /** When the checks under way began: one without a response at the end has waited at least until then. */
  readonly #pending = new Set<number>()
  #nextRead = 0

  start(): void {
    void this.#read()
    void this.#checkHealth('/health/live')
    void this.#checkHealth('/health/ready')
    void this.#watchMemory()
  }

  end(): Observed {
    this.#isOver = true
    const now = performance.now()
    if (now - this.#nextRead > READ_EVERY) this.#recordSince(now)
    for (const began of this.#pending) this.#health = Math.max(this.#health, now - began)
    const at = (percentile: number): number => this.#microseconds.percentile(percentile) / 1000
    return {
      reads: {
        count: this.#microseconds.count,
        p50: at(50),
        p99: at(99),
        max: this.#microseconds.count === 0 ? 0 : this.#microseconds.max / 1000,
      },
      failedReads: this.#failedReads,
      health: this.#health,
      failedHealth: this.#failedHealth,
      memory: this.#memory,
      delay: this.#delay,
    }
  }

  /**
   * A read is due every ten milliseconds, also while the one before it waits for its response: it has then waited since
   * it was due. Otherwise a long wait would count as one slow read among many fast ones.
   */
  async #read(): Promise<void> {
    this.#nextRead = performance.now()
    while (!this.#isOver) {
      const early = this.#nextRead - performance.now()
      if (early > 0) {
        await pause(early)
        this.#delay = Math.max(this.#delay, performance.now() - this.#nextRead - 1)
        // The lateness of the probe's own timer is not a wait for the server.
        this.#nextRead = Math.max(this.#nextRead, performance.now())
      }
      const status = await statusOf(path, { agent: connection, headers: { authorization } })
      if (this.#isOver) return
      if (status !== 200) {
        this.#failedReads++
        await pause(READ_EVERY)
      }
      this.#recordSince(performance.now())
    }
  }

  /** The waits until `now` of all reads that have become due. */
  #recordSince(now: number): void {
    do {
      this.#microseconds.record(Math.max(1, Math.round((now - this.#nextRead) * 1000)))
      this.#nextRead += READ_EVERY
    } while (this.#nextRead < now)
  }

  async #checkHealth(check: string): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now()
      this.#pending.add(began)
      const status = await statusOf(check, { agent: false })
      this.#pending.delete(began)
      if (this.#isOver) return
      if (status !== 200) this.#failedHealth++
      this.#health = Math.max(this.#health, performance.now() - began)
      await pause(Math.max(0, LOOK_EVERY - (performance.now() - began)))
    }
  }

  async #watchMemory(): Promise<void> {
    const { memory } = usageOf(pid)
    while (!this.#isOver) {
      this.#memory = Math.max(this.#memory, memory()?.peak ?? 0)
      await pause(LOOK_EVERY)
    }
  }
}

let observation: Observation | undefined
parentPort?.on('message', (command: 'start' | 'end') => {
  if (command === 'start') {
    observation = new Observation()
    observation.start()
  } else {
    parentPort?.postMessage(observation?.end())
  }
})
