/**
 * Reader threads, for reads that would hold the event loop for too long. They are started on demand, and ended after
 * some idle time. Clinics share them fairly.
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

/** Most threads, in all and for one clinic; most waiting reads, in all and of one clinic. */
const SHARES = { slots: 3, slotsPerClinic: 2, total: 128, perClinic: 32 }
/** Milliseconds after which an idle thread ends. */
const IDLE = 60_000
/** Milliseconds between two checks of waiting and running reads. */
const LOOK = 100
/** Milliseconds past its deadline after which a read that has not ended has its thread replaced. */
const GRACE = 1_000
/** Megabytes. A result is 32 million characters at most (response-limit.ts). */
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

/** A read waiting for a thread. */
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

  /** Ends reads that have taken too long, and those whose clients have left. */
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

  /** Ends a thread. One whose statement does not end keeps running until it does; its caller does not wait for that. */
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
