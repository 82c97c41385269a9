/**
 * Threads that do jobs for the thread that has started them
 * (https://nodejs.org/docs/latest-v24.x/api/worker_threads.html): each is started with its first job, and again with the
 * next one after it has ended. Its entry file calls `serveJobs` (thread-entry.ts).
 */
import { type Transferable, Worker } from 'node:worker_threads'
import { type Entrant, FairQueue, type FairQueueLimits } from './fair-queue.ts'
import { ABANDONED, BEGUN, CLOSE, EFFECT, LOST, NONE, type Order, READY, type Reply } from './thread-entry.ts'

export interface ThreadListener {
  /** Called when a thread has ended unexpectedly. */
  readonly onFault?: ((error: unknown) => void) | undefined
  /** Set by tests only. */
  readonly onThread?: ((worker: Worker) => void) | undefined
}

/** The end of a thread that had not finished a job. */
export interface ThreadEnd {
  /** The fault that ended it. */
  readonly error?: Error | undefined
  readonly isLate?: boolean
  readonly isClosed?: boolean
  /** The job had begun to write. */
  readonly hasEffect?: boolean
  /** The result of the job was no longer needed. */
  readonly isAbandoned?: boolean
}

export interface ThreadSettings extends ThreadListener {
  /** The file that the thread runs. */
  readonly entry: string
  readonly name: string
  /** Megabytes for old objects, and for young ones. */
  readonly megabytes: readonly [old: number, young: number]
  /** Called at each start. */
  readonly data: () => { readonly value: unknown; readonly transferList?: readonly Transferable[] }
  /** The error of a job, from the value that `toSent` made of it in the thread. */
  readonly toThrown: (sent: never) => Error
  /** The error of a job that the thread can no longer finish. */
  readonly lost: (end: ThreadEnd, job: never) => Error
  /** Receives what the thread sends by `notify`. */
  readonly onNotice?: (notice: never) => void
}

export interface JobOptions {
  /** Objects handed over to the thread without a copy. */
  readonly transfer?: readonly Transferable[]
  /** Time that the job may take once the thread has started; the job observes it itself. */
  readonly milliseconds?: number
  /** Milliseconds past that time after which the thread is ended. */
  readonly grace?: number
  /** Aborted when the result is no longer needed. */
  readonly signal?: AbortSignal | undefined
}

interface Waiting {
  readonly job: unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

interface Running {
  readonly worker: Worker
  readonly flags: Int32Array
  readonly jobs: Map<number, Waiting>
  readonly ready: PromiseWithResolvers<void>
  readonly exited: PromiseWithResolvers<void>
}

export class HostedThread<Job, Result> {
  readonly #settings: ThreadSettings
  /** Milliseconds after which it ends when it has no job; absent: never. */
  readonly #idleTime: number | undefined
  #running: Running | undefined
  #numbers = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(settings: ThreadSettings, idleTime?: number) {
    this.#settings = settings
    this.#idleTime = idleTime
  }

  get isStarted(): boolean {
    return this.#running !== undefined
  }

  get isBusy(): boolean {
    return this.#running !== undefined && this.#running.jobs.size > 0
  }

  /** @throws the error of the job, or `lost` */
  async run(job: Job, { transfer = [], milliseconds, grace = 0, signal }: JobOptions = {}): Promise<Result> {
    if (this.#isClosed) throw this.#settings.lost({ isClosed: true }, job as never)
    clearTimeout(this.#idle)
    this.#running ??= this.#start()
    const running = this.#running
    this.#numbers += 1
    const number = this.#numbers
    const abandon = () => Atomics.store(running.flags, ABANDONED, number)
    if (signal?.aborted) abandon()
    signal?.addEventListener('abort', abandon, { once: true })
    let late: NodeJS.Timeout | undefined
    const endAfter = (time: number) => {
      clearTimeout(late)
      late = setTimeout(() => this.#end(running, { isLate: true }), time)
    }
    if (milliseconds !== undefined) {
      endAfter(LONGEST_START + milliseconds + grace)
      void running.ready.promise.then(() => {
        if (running.jobs.has(number)) endAfter(milliseconds + grace)
      })
    }
    try {
      return await this.#send(running, { number, job, milliseconds }, transfer)
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', abandon)
      // A thread that is being closed, or was given up, keeps the process until it has ended.
      if (this.#running === running && running.jobs.size === 0) this.#rest(running.worker)
    }
  }

  #send({ worker, flags, jobs }: Running, order: Order<Job>, transfer: readonly Transferable[]): Promise<Result> {
    Atomics.store(flags, EFFECT, NONE)
    worker.postMessage(order, transfer)
    // A stopping server waits for jobs under way.
    worker.ref()
    return new Promise((resolve, reject) => jobs.set(order.number, { job: order.job, resolve, reject }))
  }

  /** Ends the thread once it has finished its jobs, or after some milliseconds. */
  async close(milliseconds?: number): Promise<void> {
    this.#isClosed = true
    await this.#stop(milliseconds)
  }

  async #stop(milliseconds: number | undefined): Promise<void> {
    clearTimeout(this.#idle)
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    running.worker.ref()
    running.worker.postMessage(CLOSE)
    const end = () => this.#end(running, { isClosed: true })
    const late = milliseconds === undefined ? undefined : setTimeout(end, milliseconds)
    await running.exited.promise
    clearTimeout(late)
  }

  #start(): Running {
    const { entry, name, megabytes, data, onThread, onFault } = this.#settings
    const { value, transferList = [] } = data()
    const flags = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    const worker = new Worker(entry, {
      ...{ name, workerData: { value, flags }, transferList: [...transferList] },
      resourceLimits: { maxOldGenerationSizeMb: megabytes[0], maxYoungGenerationSizeMb: megabytes[1] },
    })
    const [ready, exited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running: Running = { worker, flags, jobs: new Map(), ready, exited }
    let error: Error | undefined
    worker.on('message', (reply: Reply | typeof READY) => {
      if (reply === READY) ready.resolve()
      else this.#received(running, reply)
    })
    worker.on('error', (fault: Error) => {
      error = fault
    })
    worker.once('exit', () => {
      if (this.#running === running) onFault?.(error)
      this.#lose(running, { error })
      exited.resolve()
    })
    onThread?.(worker)
    return running
  }

  #received({ jobs }: Running, reply: Reply): void {
    const { toThrown, onNotice } = this.#settings
    if ('notice' in reply) {
      onNotice?.(reply.notice)
      return
    }
    const waiting = jobs.get(reply.number)
    jobs.delete(reply.number)
    if ('error' in reply) waiting?.reject(toThrown(reply.error))
    else waiting?.resolve(reply.result)
  }

  #rest(worker: Worker): void {
    worker.unref()
    clearTimeout(this.#idle)
    if (this.#idleTime === undefined) return
    this.#idle = setTimeout(() => void this.#stop(CLOSING_TIME), this.#idleTime).unref()
  }

  /** Ends the thread, whatever it is doing. Nobody waits for that, as a statement of a database ends when it likes. */
  #end(running: Running, end: ThreadEnd): void {
    this.#lose(running, end)
    void running.worker.terminate()
  }

  #lose(running: Running, end: ThreadEnd): void {
    if (this.#running === running) this.#running = undefined
    const { flags, jobs } = running
    const hasEffect = Atomics.compareExchange(flags, EFFECT, NONE, LOST) === BEGUN
    const abandoned = Atomics.load(flags, ABANDONED)
    for (const [number, { job, reject }] of jobs)
      reject(this.#settings.lost({ ...end, hasEffect, isAbandoned: abandoned === number }, job as never))
    jobs.clear()
  }
}

/** Milliseconds after which a thread that has not become ready is given up with its job. */
const LONGEST_START = 30_000
/** Milliseconds that an idle thread has to end by itself. */
const CLOSING_TIME = 2_000
/** Milliseconds after which an idle thread of a pool ends to free its memory: the first one later than the others. */
const IDLE = { first: 60_000, others: 5_000 }

interface PooledJob extends Pick<JobOptions, 'transfer' | 'grace'> {
  /** The end of its time: milliseconds since 1970 UTC. */
  readonly until: number
  /** Milliseconds after which it is refused when all threads are busy. */
  readonly longestWait: number
}

/** Threads that clinics share fairly; each does one job at a time. */
export class ThreadPool<Job, Result> {
  readonly queue: FairQueue
  readonly #settings: ThreadSettings
  readonly #threads: HostedThread<Job, Result>[] = []
  #isClosed = false

  constructor(settings: ThreadSettings, limits: FairQueueLimits) {
    this.#settings = settings
    this.queue = new FairQueue(limits)
  }

  /** @throws QueueFull, the reason of the signal while it waits, the error of the job, or `lost` */
  async run(job: Job, entrant: Entrant, { until, longestWait, ...options }: PooledJob): Promise<Result> {
    const release = await this.queue.enter(entrant, longestWait)
    try {
      if (this.#isClosed) throw this.#settings.lost({ isClosed: true }, job as never)
      const milliseconds = until - Date.now()
      return await this.#free().run(job, { ...options, milliseconds, signal: entrant.signal })
    } finally {
      release()
    }
  }

  /** Ends the threads, whatever they are doing. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#threads.map((thread) => thread.close(thread.isBusy ? 0 : CLOSING_TIME)))
  }

  #free(): HostedThread<Job, Result> {
    const free = this.#threads.filter(({ isBusy }) => !isBusy)
    return free.find(({ isStarted }) => isStarted) ?? free[0] ?? this.#added()
  }

  #added(): HostedThread<Job, Result> {
    const thread = new HostedThread<Job, Result>(this.#settings, this.#threads.length === 0 ? IDLE.first : IDLE.others)
    this.#threads.push(thread)
    return thread
  }
}
