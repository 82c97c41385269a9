/**
 * Several server processes behind one port (https://nodejs.org/docs/latest-v24.x/api/cluster.html): this process starts
 * them, replaces one that died, and ends them all. docs/adr/006-several-processes.md says why it is made this way.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from 'pino'

/** Milliseconds: a worker that served for less died at once. */
const EARLY_DEATH_MS = 10_000
/** Milliseconds before a worker that died at once is replaced; doubled for each one after it. */
const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 5_000
/** So many dead at once in a row, and none that serves: another one would not do better. */
const MAX_EARLY_DEATHS = 6
/** Milliseconds that workers have to end, a little more than they take for it at most. */
const STOP_TIMEOUT_MS = 11_000

export interface WorkerOptions {
  readonly count: number
  /** What each worker has in its environment over that of this process. */
  readonly environment: Readonly<Record<string, string>>
  readonly logger: Logger
  /** Called once, when workers die again and again and none is left. */
  readonly giveUp: (sentence: string) => void
}

/** What a worker tells this process. */
export type WorkerNews = { readonly serves: true } | { readonly cannotStart: string }

/** How long to wait before a worker that died is replaced. */
export class Replacements {
  /** Workers that died at once, in a row. */
  #deaths = 0

  /** Milliseconds. @param served milliseconds that the dead one had served */
  waitAfter(served: number): number {
    this.#deaths = served < EARLY_DEATH_MS ? this.#deaths + 1 : 0
    return this.#deaths === 0 ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#deaths - 1))
  }

  get isHopeless(): boolean {
    return this.#deaths >= MAX_EARLY_DEATHS
  }
}

export class Workers {
  readonly #options: WorkerOptions
  readonly #replacements = new Replacements()
  readonly #started = Promise.withResolvers<void>()
  readonly #waiting = new Set<NodeJS.Timeout>()
  /** Those that serve, and since when (milliseconds since 1970 UTC). */
  readonly #serving = new Map<Worker, number>()
  #phase: 'starting' | 'serving' | 'stopping' = 'starting'

  constructor(options: WorkerOptions) {
    this.#options = options
    // For platforms where connections come through this process.
    cluster.schedulingPolicy = cluster.SCHED_RR
    cluster.on('message', (worker, message: unknown) => this.#told(worker, message))
    cluster.on('exit', (worker, code, signal) => this.#ended(worker, signal ?? `code ${code}`))
  }

  /**
   * Resolves when all of them serve. The first one starts alone: it makes or upgrades the store, and meets what keeps
   * any of them from starting.
   * @throws Error with the reason of one that could not start
   */
  start(): Promise<void> {
    this.#fork()
    return this.#started.promise
  }

  /** Each finishes its requests. False when one had to be killed, or ended otherwise. */
  async stop(): Promise<boolean> {
    this.#phase = 'stopping'
    for (const timer of this.#waiting) clearTimeout(timer)
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const late = setTimeout(() => signalAll(workers, 'SIGKILL'), STOP_TIMEOUT_MS)
    const ends = workers.map((worker) => once(worker, 'exit'))
    signalAll(workers, 'SIGTERM')
    const codes = await Promise.all(ends)
    clearTimeout(late)
    // One that was still starting ends by the signal itself.
    return codes.every(([code, signal]) => code === 0 || signal === 'SIGTERM')
  }

  #fork(): void {
    cluster.fork(this.#options.environment)
  }

  #serves(worker: Worker): void {
    this.#serving.set(worker, Date.now())
    if (this.#phase !== 'starting') return
    const { count } = this.#options
    if (this.#serving.size === 1) for (let started = 1; started < count; started += 1) this.#fork()
    if (this.#serving.size < count) return
    this.#phase = 'serving'
    this.#started.resolve()
  }

  #told(worker: Worker, message: unknown): void {
    if (!isNews(message)) return
    if ('serves' in message) this.#serves(worker)
    else if (this.#phase === 'starting') this.#started.reject(new Error(message.cannotStart))
    else this.#options.logger.error({ reason: message.cannotStart }, 'a worker cannot start')
  }

  async #ended(worker: Worker, how: string): Promise<void> {
    // What it said last may still be on the way.
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

/** Node's own tools send messages too. */
const isNews = (message: unknown): message is WorkerNews =>
  typeof message === 'object' && message !== null && ('serves' in message || 'cannotStart' in message)
