/**
 * Reader threads, for what would hold the event loop for too long. They are started when they are needed, and ended when
 * they have been idle for a while. Clinics share them fairly.
 */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Budget, BudgetError } from '../../isolation/budget.ts'
import { type ComponentHealth, FairQueue, loadOfQueue } from '../../isolation/fair-queue.ts'
import { UnorderedList } from '../../isolation/unordered-list.ts'
import { StoreUnavailable } from '../port.ts'
import { toThrown } from '../thread-errors.ts'
import type { SentOptions } from './engines.ts'
import type { ReaderData, ReadRequest, ReadResponse } from './reader-protocol.ts'
import { type Answer, clinicOf, type ReadKind } from './reads.ts'
import type { ThreadListener } from './writer-host.ts'

/** Threads, and those of one clinic; reads that wait, and those of one clinic. */
const SHARES = { slots: 3, slotsPerClinic: 2, total: 128, perClinic: 32 }
/** Milliseconds after which a thread that is idle ends. */
const IDLE = 60_000
/** Milliseconds between two looks at what waits and what runs. */
const LOOK = 100
/** Milliseconds after its time at which a read has not ended by itself, so that its thread is replaced. */
const GRACE = 1_000
/** Megabytes. An answer is 32 million characters at most (response-limit.ts). */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 }

const ENTRY = join(import.meta.dirname, 'reader-thread.ts')

interface Job {
  readonly request: ReadRequest
  readonly budget: Budget | undefined
  readonly resolve: (answer: Answer<ReadKind>) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly abandoned: Int32Array
  job: Job | undefined
  idle: NodeJS.Timeout | undefined
}

/** A read that waits for a thread. */
interface Waiting extends Pick<Job, 'request' | 'budget'> {
  readonly controller: AbortController
}

export class Readers {
  readonly #options: () => SentOptions
  readonly #listener: ThreadListener
  readonly #queue = new FairQueue(SHARES)
  readonly #waiting = new UnorderedList<Waiting>()
  readonly #threads = new Set<Thread>()
  #looks: NodeJS.Timeout | undefined
  #numbers = 0
  #isClosed = false

  constructor(options: () => SentOptions, listener: ThreadListener) {
    this.#options = options
    this.#listener = listener
  }

  /** @throws BudgetError, QueueFull, StoreUnavailable, and errors of the port */
  async read<Kind extends ReadKind>(
    { kind, query, endsAt, what }: Omit<ReadRequest<Kind>, 'number' | 'canMove'>,
    budget: Budget | undefined,
  ): Promise<Answer<Kind>> {
    if (this.#isClosed) throw new StoreUnavailable('The store is closed')
    this.#numbers += 1
    const canMove = budget?.canMove ?? false
    const request: ReadRequest = { number: this.#numbers, kind, query, endsAt, what, canMove }
    this.#looks ??= setInterval(() => this.#look(), LOOK).unref()
    const release = await this.#enter({ request, budget, controller: new AbortController() }, clinicOf(query))
    try {
      return (await this.#run(request, budget)) as Answer<Kind>
    } finally {
      release()
    }
  }

  get load(): ComponentHealth {
    const { oldestMs, waiting, running } = this.#queue
    return loadOfQueue('readers', { waiting: waiting + running, oldestMs })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new StoreUnavailable('The store is closed')
    for (const { controller } of this.#waiting) controller.abort(closed)
    clearInterval(this.#looks)
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, closed)))
  }

  async #enter(waiting: Waiting, clinic: string): Promise<() => void> {
    const remove = this.#waiting.add(waiting)
    try {
      return await this.#queue.enter({
        clinic,
        token: waiting.budget?.token ?? '',
        signal: waiting.controller.signal,
      })
    } finally {
      remove()
    }
  }

  #run(request: ReadRequest, budget: Budget | undefined): Promise<Answer<ReadKind>> {
    const thread = [...this.#threads].find(({ job }) => job === undefined) ?? this.#start()
    clearTimeout(thread.idle)
    return new Promise((resolve, reject) => {
      thread.job = { request, budget, resolve, reject }
      thread.worker.ref()
      thread.worker.postMessage(request)
    })
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
      if (this.#threads.has(thread))
        void this.#end(thread, new StoreUnavailable('The thread that was reading has ended'))
    })
    this.#listener.onThread?.(worker)
    return thread
  }

  #answered(thread: Thread, response: ReadResponse): void {
    const { job, worker } = thread
    if (job === undefined) return
    thread.job = undefined
    worker.unref()
    thread.idle = setTimeout(() => this.#end(thread), IDLE).unref()
    if ('error' in response) job.reject(toThrown(response.error))
    else job.resolve(response.answer)
  }

  /** Ends what has taken too long, and what nobody waits for any more. */
  #look(): void {
    const now = Date.now()
    for (const job of this.#waiting) {
      if (job.budget?.isAbandoned) job.controller.abort(errorOf(job))
      else if (now > job.request.endsAt) job.controller.abort(this.#queue.refusal(clinicOf(job.request.query)))
    }
    for (const thread of this.#threads) {
      const { job, abandoned } = thread
      if (job?.budget?.isAbandoned) Atomics.store(abandoned, 0, job.request.number)
      if (job !== undefined && now > job.request.endsAt + GRACE) void this.#end(thread, errorOf(job))
    }
    if (this.#queue.running + this.#queue.waiting > 0) return
    clearInterval(this.#looks)
    this.#looks = undefined
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

const errorOf = ({ budget, request }: Pick<Job, 'request' | 'budget'>): BudgetError =>
  new BudgetError(budget?.isAbandoned ? 'left' : 'too late', request.what)
