/** One work thread, as the server's thread controls it. */
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { FhirError } from '../fhir/outcome.ts'
import type { ThreadAnswer, ThreadRequest } from '../http/admission/work-threads.ts'
import { faultOf } from '../http/fault.ts'
import { BudgetError } from '../isolation/budget.ts'
import type { ComparedBatch, PatientBatch } from '../operations/duplicates/compare-patients.ts'
import type { SentRequest } from '../record/journal/sent.ts'
import { type ReindexedBatch, type Reindexing, type ResourceStore, StoreUnavailable } from '../storage/port.ts'

export interface WorkThreadSettings {
  readonly config: Config
  /** The number of this process, where several run. */
  readonly worker?: number | undefined
  /** The store that the thread opens too. */
  readonly store: Pick<ResourceStore, 'share'>
  readonly onSent: (sent: SentRequest) => void
}

/** Data for the start of a thread. */
export interface WorkThreadData extends Omit<WorkThreadSettings, 'store' | 'onSent'> {
  /** See SharedStore. */
  readonly sharedStore: object | undefined
  /** Int32: see Flag. */
  readonly flags: SharedArrayBuffer
}

/** Flags shared by the two threads, where a message would be too slow. */
export const Flag = {
  /** The client has disconnected. */
  abandoned: 0,
  /** The request has begun to write. */
  hasEffect: 1,
} as const

/** Work for a thread. */
export type ThreadWork =
  | { readonly kind: 'answer'; readonly request: ThreadRequest }
  /** A batch of resources to index by the clinic's own search parameters. */
  | { readonly kind: 'reindex'; readonly batch: Reindexing }
  /** A batch of patients to compare with possible duplicates. */
  | { readonly kind: 'duplicates'; readonly batch: PatientBatch }

export type ThreadResult =
  | { readonly kind: 'answer'; readonly answer: ThreadAnswer }
  | { readonly kind: 'reindex'; readonly done: ReindexedBatch }
  | { readonly kind: 'duplicates'; readonly done: ComparedBatch }
  /** The kind of the fault, and its place. */
  | { readonly kind: 'failed'; readonly fault: object }

/** A message of a thread at any time: a request that it has sent to the system of a clinic. */
export interface ThreadNotice {
  readonly kind: 'sent'
  readonly sent: SentRequest
}

/** The message of a thread that has started. */
export const READY = 'ready'

export interface ThreadJob {
  readonly work: ThreadWork
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number
}

export interface JobLimits {
  /** Time that the work may take. */
  readonly milliseconds: number
  readonly signal?: AbortSignal | undefined
}

/** Megabytes for young objects. */
const YOUNG = 32
/**
 * Milliseconds after the end of a request's time when its thread is ended: the thread itself responds in time, if it
 * can.
 */
const GRACE = 400
/** Milliseconds that an idle thread has to close its store. */
const CLOSING_TIME = 2_000

interface Job {
  readonly resolve: (result: ThreadResult) => void
  readonly reject: (reason: unknown) => void
}

export class WorkThread {
  readonly #worker: Worker
  readonly #flags = new Int32Array(new SharedArrayBuffer(8))
  readonly #started = Promise.withResolvers<void>()
  readonly #exited: Promise<void>
  #job: Job | undefined
  #isLate = false
  #isClosing = false
  #hasExited = false
  #error: Error | undefined

  /** @param onEnd called when it has ended; with a fault where it was not closed */
  constructor({ config, worker, store, onSent }: WorkThreadSettings, onEnd: (fault: object | undefined) => void) {
    const { value: sharedStore, transferList = [] } = store.share?.() ?? {}
    const flags = this.#flags.buffer as SharedArrayBuffer
    const workerData: WorkThreadData = { config, worker, sharedStore, flags }
    this.#worker = new Worker(new URL('./work-thread.ts', import.meta.url), {
      name: 'work',
      workerData,
      transferList: [...transferList],
      // Large single allocations make V8 end the process, not the thread: ADR 027 says how they are kept small.
      resourceLimits: { maxOldGenerationSizeMb: config.limits.workMegabytes, maxYoungGenerationSizeMb: YOUNG },
    })
    this.#worker.on('message', (message: ThreadResult | ThreadNotice | typeof READY) => {
      if (message === READY) this.#started.resolve()
      else if (message.kind === 'sent') onSent(message.sent)
      else this.#settle()?.resolve(message)
    })
    this.#worker.on('error', (error) => {
      this.#error = error
    })
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        this.#started.resolve()
        this.#settle()?.reject(this.#reason())
        onEnd(this.#isLate || this.#isClosing ? undefined : faultOf(this.#error))
        resolve()
      })
    })
  }

  /**
   * Does work, whose time counts from the start of the thread.
   * @throws BudgetError when it takes too long or too much memory, StoreUnavailable when the thread dies
   */
  async do(work: ThreadWork, { milliseconds, signal }: JobLimits): Promise<ThreadResult> {
    await this.#started.promise
    this.#flags.fill(0)
    const abandon = () => Atomics.store(this.#flags, Flag.abandoned, 1)
    if (signal?.aborted) abandon()
    signal?.addEventListener('abort', abandon, { once: true })
    const late = setTimeout(() => this.#end(), milliseconds + GRACE)
    try {
      return await this.#send({ work, endsAt: Date.now() + milliseconds })
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', abandon)
    }
  }

  #send(job: ThreadJob): Promise<ThreadResult> {
    if (this.#hasExited) return Promise.reject(this.#reason())
    return new Promise((resolve, reject) => {
      this.#job = { resolve, reject }
      this.#worker.postMessage(job, ownBytesOf(job.work))
    })
  }

  /** Ends also work in progress, which is no longer needed. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#worker.postMessage('close')
    const time = this.#job === undefined ? CLOSING_TIME : 0
    const late = setTimeout(() => void this.#worker.terminate(), time)
    await this.#exited
    clearTimeout(late)
  }

  #end(): void {
    this.#isLate = true
    void this.#worker.terminate()
  }

  #settle(): Job | undefined {
    const job = this.#job
    this.#job = undefined
    return job
  }

  /** The reason why a request in progress can no longer be served. */
  #reason(): Error {
    const mayBeWritten = Atomics.load(this.#flags, Flag.hasEffect) === 1
    if (mayBeWritten && this.#isLate) return lateWhileWriting()
    if (mayBeWritten) return new StoreUnavailable('The thread that wrote has ended', { mayBeWritten })
    if (this.#isLate) return new BudgetError('too late', 'work that could not be interrupted')
    if (isOutOfMemory(this.#error)) return new BudgetError('too costly', 'the memory that it takes')
    return new StoreUnavailable('The thread that worked on the request has died')
  }
}

const lateWhileWriting = (): FhirError =>
  new FhirError(
    503,
    {
      code: 'timeout',
      diagnostics:
        'The request takes longer than one request may, and was ended while it was writing: it may be stored as a whole, or not ' +
        'at all; of a batch, in part. Look before you send it again, and send it in parts',
    },
    { 'retry-after': '5' },
  )

const isOutOfMemory = (error: Error | undefined): boolean =>
  error !== undefined && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

/** Buffers to transfer instead of copying: this thread no longer needs a received body. */
function ownBytesOf(work: ThreadWork): readonly ArrayBuffer[] {
  const body = work.kind === 'answer' ? work.request.body : undefined
  return body?.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength ? [body.buffer] : []
}
