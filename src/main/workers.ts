/**
 * Several server processes behind one port (https://nodejs.org/docs/latest-v24.x/api/cluster.html): the primary process
 * starts the workers, replaces those that die, and stops them. docs/adr/006-several-processes.md says why.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from 'pino'

/** A worker that served for less time than this died early. */
const EARLY_DEATH_MS = 10_000
/** The delay before a worker that died early is replaced; doubled for each further early death. */
const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 5_000
/** After this many early deaths in a row, with no worker left, the server gives up. */
const MAX_EARLY_DEATHS = 6
/** Time for workers to stop; slightly more than their own shutdown timeout. */
const STOP_TIMEOUT_MS = 11_000

export interface WorkerOptions {
  readonly count: number
  /** Environment variables for each worker, in addition to those of this process. */
  readonly environment: Readonly<Record<string, string>>
  readonly logger: Logger
  /** Called once when workers keep dying and none is left. */
  readonly giveUp: (sentence: string) => void
}

/** A message of a worker to the primary process. */
export type WorkerMessage = { readonly serves: true } | { readonly cannotStart: string }

/** Decides how long to wait before a dead worker is replaced. */
export class Replacements {
  /** Early deaths in a row. */
  #earlyDeaths = 0

  /** The delay in milliseconds. @param served how long the worker had served, in milliseconds */
  waitAfter(served: number): number {
    this.#earlyDeaths = served < EARLY_DEATH_MS ? this.#earlyDeaths + 1 : 0
    return this.#earlyDeaths === 0 ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#earlyDeaths - 1))
  }

  get isHopeless(): boolean {
    return this.#earlyDeaths >= MAX_EARLY_DEATHS
  }
}

export class Workers {
  readonly #options: WorkerOptions
  readonly #replacements = new Replacements()
  readonly #started = Promise.withResolvers<void>()
  readonly #waiting = new Set<NodeJS.Timeout>()
  /** Serving workers, with their start in milliseconds since 1970 UTC. */
  readonly #serving = new Map<Worker, number>()
  #phase: 'starting' | 'serving' | 'stopping' = 'starting'

  constructor(options: WorkerOptions) {
    this.#options = options
    // Workers take connections from one queue, so that a busy one takes none.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.on('message', (worker, message: unknown) => this.#onMessage(worker, message))
    cluster.on('exit', (worker, code, signal) => this.#onExit(worker, signal ?? `code ${code}`))
  }

  /**
   * Resolves when all workers serve. The first one starts alone: it creates or upgrades the store, and shows whether
   * workers can start at all.
   * @throws Error with the reason why a worker could not start
   */
  start(): Promise<void> {
    this.#fork()
    return this.#started.promise
  }

  /** Stops the workers after their current requests. False when one was killed or failed. */
  async stop(): Promise<boolean> {
    this.#phase = 'stopping'
    for (const timer of this.#waiting) clearTimeout(timer)
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const late = setTimeout(() => signalAll(workers, 'SIGKILL'), STOP_TIMEOUT_MS)
    const ends = workers.map((worker) => once(worker, 'exit'))
    signalAll(workers, 'SIGTERM')
    const codes = await Promise.all(ends)
    clearTimeout(late)
    // A worker that was still starting is ended by the signal itself.
    return codes.every(([code, signal]) => code === 0 || signal === 'SIGTERM')
  }

  #fork(): void {
    cluster.fork(this.#options.environment)
  }

  #onServing(worker: Worker): void {
    this.#serving.set(worker, Date.now())
    if (this.#phase !== 'starting') return
    const { count } = this.#options
    if (this.#serving.size === 1) for (let started = 1; started < count; started += 1) this.#fork()
    if (this.#serving.size < count) return
    this.#phase = 'serving'
    this.#started.resolve()
  }

  #onMessage(worker: Worker, message: unknown): void {
    if (!isWorkerMessage(message)) return
    if ('serves' in message) this.#onServing(worker)
    else if (this.#phase === 'starting') this.#started.reject(new Error(message.cannotStart))
    else this.#options.logger.error({ reason: message.cannotStart }, 'a worker cannot start')
  }

  async #onExit(worker: Worker, how: string): Promise<void> {
    // Its last message may still be in transit.
    if (worker.isConnected()) await once(worker, 'disconnect')
    const since = this.#serving.get(worker)
    this.#serving.delete(worker)
    if (this.#phase === 'starting') this.#started.reject(new Error(`a worker ended at its start (${how})`))
    if (this.#phase === 'serving') this.#replace(worker, how, since === undefined ? 0 : Date.now() - since)
  }

  #replace(worker: Worker, how: string, served: number): void {
    const wait = this.#replacements.waitAfter(served)
    if (this.#replacements.isHopeless && this.#serving.size === 0) {
      this.#giveUp(how)
      return
    }
    this.#options.logger.error({ worker: worker.process.pid, how, wait }, 'a worker died; another one takes its place')
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      this.#fork()
    }, wait)
    this.#waiting.add(timer)
  }

  #giveUp(how: string): void {
    this.#phase = 'stopping'
    this.#options.giveUp(
      `The server ends: its workers die again and again as soon as they serve, the last one with ${how}. ` +
        'What they wrote before says why',
    )
  }
}

function signalAll(workers: readonly Worker[], signal: NodeJS.Signals): void {
  for (const worker of workers) worker.process.kill(signal)
}

/** Other messages come from Node's own tools. */
const isWorkerMessage = (message: unknown): message is WorkerMessage =>
  typeof message === 'object' && message !== null && ('serves' in message || 'cannotStart' in message)
