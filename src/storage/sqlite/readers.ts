/**
 * Reader threads, for what would hold the event loop for too long. They are started when they are needed, and ended when
 * they have been idle for a while. Clinics take turns, and none holds all of them while others wait.
 */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Budget, BudgetError } from '../../budget/budget.ts'
import { FairQueue } from '../fair-queue.ts'
import { type StorePart, StoreUnavailable } from '../port.ts'
import type { SentOptions } from './engines.ts'
import type { ReaderData, ReadRequest, ReadResponse } from './reader-protocol.ts'
import { type Answer, clinicOf, type ReadKind } from './reads.ts'
import { toThrown } from './thread-errors.ts'
import type { ThreadListener } from './writer-host.ts'

/** Threads; one more is started for a clinic that has none, where one other clinic holds them all. */
const THREADS = 2
/** Reads of one clinic that wait at most. */
const MAX_WAITING = 32
/** Milliseconds after which a thread that is idle ends. */
const IDLE = 60_000
/** Milliseconds between two looks at what waits and what runs. */
const LOOK = 100
/** Milliseconds after its time at which a read has not ended by itself, so that its thread is replaced. */
const GRACE = 1_000
/** Milliseconds that the oldest read waits where the readers are said to be behind. */
const BEHIND = 1_000
/** Megabytes. An answer is 32 million characters at most (response-limit.ts). */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 }

const ENTRY = join(import.meta.dirname, 'reader-thread.ts')

interface Job {
  readonly request: ReadRequest
  readonly clinic: string
  readonly budget: Budget | undefined
  /** Milliseconds since 1970 UTC. */
  readonly since: number
  readonly resolve: (answer: Answer<ReadKind>) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly abandoned: Int32Array
  job: Job | undefined
  idle: NodeJS.Timeout | undefined
}

export class Readers {
  readonly #options: () => SentOptions
  readonly #listener: ThreadListener
  readonly #queue = new FairQueue<Job>()
  readonly #threads = new Set<Thread>()
  #looks: NodeJS.Timeout | undefined
  #numbers = 0
  #isClosed = false

  constructor(options: () => SentOptions, listener: ThreadListener) {
    this.#options = options
    this.#listener = listener
  }

  /** @throws BudgetError, StoreUnavailable, and errors of the port */
  read<Kind extends ReadKind>(
    { kind, query, ...request }: Omit<ReadRequest<Kind>, 'number'>,
    budget: Budget | undefined,
  ): Promise<Answer<Kind>> {
    const clinic = clinicOf(query)
    if (this.#isClosed) return Promise.reject(new StoreUnavailable('The store is closed'))
    if (this.#queue.sizeOf(clinic) >= MAX_WAITING)
      return Promise.reject(new StoreUnavailable('Too many long reads wait', { reason: 'busy' }))
    this.#numbers += 1
    const numbered: ReadRequest = { number: this.#numbers, kind, query, ...request }
    return new Promise((resolve, reject) => {
      const since = Date.now()
      const job: Job = {
        request: numbered,
        clinic,
        budget,
        since,
        resolve: (answer) => resolve(answer as Answer<Kind>),
        reject,
      }
      this.#queue.push(clinic, job)
      this.#proceed()
    })
  }

  get load(): StorePart {
    const waits = [...this.#queue.heads()].map(({ since }) => since)
    const oldestMs = waits.length === 0 ? 0 : Date.now() - Math.min(...waits)
    const waiting = this.#queue.size + this.#running.length
    return { name: 'readers', state: oldestMs > BEHIND ? 'behind' : 'ok', waiting, oldestMs }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new StoreUnavailable('The store is closed')
    for (const { reject } of this.#queue.take(() => true)) reject(closed)
    clearInterval(this.#looks)
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, closed)))
  }

  get #running(): readonly Job[] {
    return [...this.#threads].flatMap(({ job }) => job ?? [])
  }

  /** Begins what can begin. */
  #proceed(): void {
    for (let job = this.#nextJob(); job !== undefined; job = this.#nextJob()) this.#begin(job)
    if (this.#queue.size + this.#running.length === 0) {
      clearInterval(this.#looks)
      this.#looks = undefined
    } else {
      this.#looks ??= setInterval(() => this.#look(), LOOK).unref()
    }
  }

  #nextJob(): Job | undefined {
    const running = this.#running
    const held = (clinic: string) => running.filter((job) => job.clinic === clinic).length
    const isAlone = new Set(this.#queue.clinics()).size < 2
    return this.#queue.next((clinic) => {
      if (held(clinic) === 0) return running.length <= THREADS
      return running.length < THREADS && (isAlone || held(clinic) < THREADS - 1)
    })
  }

  #begin(job: Job): void {
    const thread = [...this.#threads].find((one) => one.job === undefined) ?? this.#start()
    clearTimeout(thread.idle)
    thread.job = job
    thread.worker.ref()
    thread.worker.postMessage(job.request)
  }

  #start(): Thread {
    const abandoned = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const workerData: ReaderData = { options: this.#options(), abandoned }
    const worker = new Worker(ENTRY, { workerData, resourceLimits: LIMITS, name: 'store reader' })
    const thread: Thread = { worker, abandoned: new Int32Array(abandoned), job: undefined, idle: undefined }
    this.#threads.add(thread)
    worker.on('message', (response: ReadResponse) => this.#answered(thread, response))
    worker.on('error', (error) => this.#listener.onFault?.(error))
    worker.on('exit', () => {
      if (!this.#threads.has(thread)) return
      void this.#end(thread, new StoreUnavailable('The thread that was reading has ended'))
      this.#proceed()
    })
    this.#listener.onThread?.(worker)
    return thread
  }

  #answered(thread: Thread, response: ReadResponse): void {
    const { job, worker } = thread
    thread.job = undefined
    worker.unref()
    if (job === undefined) return
    if ('error' in response) job.reject(toThrown(response.error))
    else job.resolve(response.answer)
    thread.idle = setTimeout(() => this.#end(thread), IDLE).unref()
    this.#proceed()
  }

  /** Ends what has taken too long, and what nobody waits for any more. */
  #look(): void {
    const now = Date.now()
    const isOver = ({ request, budget }: Job) => now > request.endsAt || budget?.isAbandoned === true
    for (const job of this.#queue.take(isOver)) job.reject(errorOf(job))
    for (const thread of this.#threads) {
      const { job, abandoned } = thread
      if (job === undefined) continue
      if (job.budget?.isAbandoned) Atomics.store(abandoned, 0, job.request.number)
      if (now > job.request.endsAt + GRACE) void this.#end(thread, errorOf(job))
    }
    this.#proceed()
  }

  /** A statement that does not end by itself keeps its thread until it has ended; nobody waits for that. */
  async #end(thread: Thread, error?: Error): Promise<void> {
    this.#threads.delete(thread)
    clearTimeout(thread.idle)
    thread.worker.unref()
    if (error !== undefined) thread.job?.reject(error)
    thread.job = undefined
    await thread.worker.terminate()
  }
}

const errorOf = ({ budget, request }: Job): BudgetError =>
  new BudgetError(budget?.isAbandoned ? 'left' : 'too late', request.what)
