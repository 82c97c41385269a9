/**
 * The pool of work threads (https://nodejs.org/docs/latest-v24.x/api/worker_threads.html): started when first needed,
 * shared fairly by clinics, ended after some idle time. Each serves one request at a time.
 */
import type { Logger } from 'pino'
import type { ThreadAnswer, ThreadClient, ThreadRequest, WorkThreads } from '../http/admission/work-threads.ts'
import { type ComponentHealth, type Entrant, FairQueue, loadOfQueue } from '../isolation/fair-queue.ts'
import type { ComparedBatch, PatientBatch } from '../operations/duplicates/compare-patients.ts'
import type { ReindexedBatch, Reindexing } from '../storage/port.ts'
import { type ThreadResult, type ThreadWork, WorkThread, type WorkThreadSettings } from './work-thread-client.ts'

export interface WorkThreadOptions extends WorkThreadSettings {
  /** Most threads. */
  readonly count: number
  readonly logger: Logger
}

/** Milliseconds after which an idle thread is ended to free its memory: the last one later than the others. */
const IDLE_TIME = { last: 60_000, others: 5_000 }
/** Requests that may wait, of one clinic and in all. */
const WAITING = { perClinic: 64, total: 256 }

type WorkOf<Kind> = Extract<ThreadWork, { readonly kind: Kind }>
/** The result for each kind of work. */
type ResultOf<Kind> = Extract<ThreadResult, { readonly kind: Kind }>

export class WorkThreadPool implements WorkThreads {
  readonly #options: WorkThreadOptions
  readonly #queue: FairQueue
  readonly #threads = new Set<WorkThread>()
  readonly #idle = new Map<WorkThread, NodeJS.Timeout>()
  #isClosed = false

  constructor(options: WorkThreadOptions) {
    this.#options = options
    this.#queue = new FairQueue({ slots: options.count, slotsPerClinic: Math.max(1, options.count - 1), ...WAITING })
  }

  get load(): ComponentHealth {
    return loadOfQueue('work threads', this.#queue)
  }

  async answer(request: ThreadRequest, client: ThreadClient): Promise<ThreadAnswer> {
    return (await this.#do({ kind: 'answer', request }, client, client.waited)).answer
  }

  /** Background work, queued among the requests of its clinic. @throws as ResourceStore.reindex does */
  async reindex(batch: Reindexing): Promise<ReindexedBatch> {
    return (await this.#do({ kind: 'reindex', batch }, { clinic: batch.clinic, token: '' })).done
  }

  /**
   * The same; all patients of a batch together may take half of their thread's time.
   * @throws as comparePatients does
   */
  async comparePatients({ clinic, limit, ...more }: PatientBatch): Promise<ComparedBatch> {
    const longest = this.#options.config.limits.workMilliseconds / 2 / limit
    const batch = { clinic, limit, ...more, longest }
    return (await this.#do({ kind: 'duplicates', batch }, { clinic, token: '' })).done
  }

  /** @param waited milliseconds that its client has waited before */
  async #do<Kind extends ThreadWork['kind']>(work: WorkOf<Kind>, client: Entrant, waited = 0): Promise<ResultOf<Kind>> {
    const time = Math.max(0, this.#options.config.limits.workMilliseconds - waited)
    const until = Date.now() + time
    // Work that has waited for half of its time would have too little left.
    const release = await this.#queue.enter(client, time / 2)
    try {
      const milliseconds = until - Date.now()
      const thread = this.#take()
      try {
        const result = await thread.do(work, { milliseconds, signal: client.signal })
        if (result.kind === 'failed') throw this.#fault(result.fault)
        return result as ResultOf<Kind>
      } finally {
        this.#rest(thread)
      }
    } finally {
      release()
    }
  }

  #fault(fault: object): Error {
    this.#options.logger.error({ fault }, 'a work thread met an unexpected fault')
    return new Error('A work thread could not do its work')
  }

  /** Ends the threads, whatever they are doing: called when no request is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#idle.values()) clearTimeout(timer)
    this.#idle.clear()
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  /** The thread that rested last: its caches are warm, and the others may end. */
  #take(): WorkThread {
    const thread = [...this.#idle.keys()].at(-1)
    if (thread === undefined) return this.#start()
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    return thread
  }

  #start(): WorkThread {
    const thread = new WorkThread(this.#options, (fault) => this.#onEnd(thread, fault))
    this.#threads.add(thread)
    return thread
  }

  #rest(thread: WorkThread): void {
    if (this.#isClosed || !this.#threads.has(thread)) return
    const time = this.#threads.size === 1 ? IDLE_TIME.last : IDLE_TIME.others
    this.#idle.set(thread, setTimeout(() => this.#endOrKeep(thread), time).unref())
  }

  /** Keeps the last thread for the rest of its time; ends any other. */
  #endOrKeep(thread: WorkThread): void {
    if (this.#threads.size > 1) this.#end(thread)
    else this.#idle.set(thread, setTimeout(() => this.#end(thread), IDLE_TIME.last - IDLE_TIME.others).unref())
  }

  #end(thread: WorkThread): void {
    this.#idle.delete(thread)
    this.#threads.delete(thread)
    void thread.close()
  }

  /** Forgets a thread; the next request starts another one. */
  #onEnd(thread: WorkThread, fault: object | undefined): void {
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    this.#threads.delete(thread)
    if (fault !== undefined) this.#options.logger.error({ fault }, 'a work thread died')
  }
}
