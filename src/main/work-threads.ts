/** The pool of work threads, which clinics share fairly. Each thread serves one request at a time. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { FhirError } from '../fhir/outcome.ts'
import type { ThreadAnswer, ThreadClient, ThreadRequest, WorkThreads } from '../http/admission/work-threads.ts'
import { faultOf } from '../http/errors.ts'
import { BudgetError } from '../isolation/budget.ts'
import { type ComponentHealth, type Entrant, loadOfQueue } from '../isolation/fair-queue.ts'
import { type ThreadEnd, ThreadPool } from '../isolation/thread-host.ts'
import type { JobOwner, JobStep, NamedJob } from '../jobs/job.ts'
import type { ComparedBatch, PatientBatch } from '../operations/duplicates/background-search.ts'
import type { SeenExchange } from '../record/journal/exchange.ts'
import type { FillResult, FillWork } from '../rehearsal/generations/fillings.ts'
import type { Repository } from '../repository/repository.ts'
import type { ReindexedBatch, Reindexing, ResourceStore } from '../storage/port.ts'
import { StoreUnavailable } from '../storage/store-errors.ts'
import { type SentError, toThrown } from '../storage/thread-errors.ts'

export interface WorkThreadOptions {
  readonly config: Config
  /** The number of this process, where several run. */
  readonly worker?: number | undefined
  /** The store that the threads open too. */
  readonly store: Pick<ResourceStore, 'share'>
  /** Called with a request that a thread has sent to the system of a clinic. */
  readonly onSent: (sent: SeenExchange) => void
  /** Notices each change of a thread that has added to the feed of events. */
  readonly repository: Pick<Repository, 'noticeEvents'>
  /** Most threads. */
  readonly count: number
  readonly logger: Logger
}

/** Data for the start of a thread. */
export interface WorkThreadData extends Pick<WorkThreadOptions, 'config' | 'worker'> {
  /** See SharedStore. */
  readonly sharedStore: object | undefined
}

/** Work for a thread. */
export type ThreadWork =
  | { readonly kind: 'answer'; readonly request: ThreadRequest }
  /** A batch of resources to index by the clinic's own search parameters. */
  | { readonly kind: 'reindex'; readonly batch: Reindexing }
  /** A batch of patients to compare with possible duplicates. */
  | { readonly kind: 'duplicates'; readonly batch: PatientBatch }
  /** A step of a job. */
  | { readonly kind: 'job'; readonly job: NamedJob; readonly owner: JobOwner; readonly clinic: string }
  /** A generation of a clinic's data to fill. */
  | { readonly kind: 'fill'; readonly work: FillWork; readonly clinic: string }

export type ThreadResult = ThreadAnswer | ReindexedBatch | ComparedBatch | JobStep | FillResult

/** Messages of a thread that belong to no work: a request to the system of a clinic, and that there are events. */
export type ThreadNotice = SeenExchange | 'events'

/** Milliseconds that a filling may take, and may wait for a thread. */
const FILLING = { until: 600_000, longestWait: 60_000 }
/** Milliseconds that a step of a job may take, and may wait for a thread. */
const STEP = { until: 120_000, longestWait: 60_000 }
/** Milliseconds that the request of a job may take. */
export const LONGEST_JOB = 600_000

/** Megabytes for young objects. */
const YOUNG = 32
/** Milliseconds after the end of a request's time when its thread is ended: it responds in time itself, if it can. */
const GRACE = 400
/** Requests that may wait, of one clinic and in all. */
const WAITING = { perClinic: 64, total: 256 }

export class WorkThreadPool implements WorkThreads {
  readonly #options: WorkThreadOptions
  readonly #pool: ThreadPool<ThreadWork, ThreadResult>

  constructor(options: WorkThreadOptions) {
    this.#options = options
    const { config, count, worker, store, onSent, repository, logger } = options
    this.#pool = new ThreadPool(
      {
        entry: join(import.meta.dirname, 'work-thread.ts'),
        name: 'work',
        // Large single allocations make V8 end the process, not the thread: ADR 027 says how they are kept small.
        megabytes: [config.limits.workMegabytes, YOUNG],
        data: () => {
          const { value: sharedStore, transferList = [] } = store.share?.() ?? {}
          return { value: { config, worker, sharedStore } satisfies WorkThreadData, transferList }
        },
        toThrown: (sent: SentError) => {
          const error = toThrown(sent)
          if (sent.kind === 'fault') logger.error({ fault: faultOf(error) }, 'a work thread met an unexpected fault')
          return error
        },
        lost,
        onNotice: (notice: ThreadNotice) => (notice === 'events' ? repository.noticeEvents() : onSent(notice)),
        onFault: (error) => logger.error({ fault: faultOf(error) }, 'a work thread died'),
      },
      { slots: count, slotsPerClinic: Math.max(1, count - 1), ...WAITING },
    )
  }

  get load(): ComponentHealth {
    return loadOfQueue('work threads', this.#pool.queue)
  }

  /** @throws as WorkThreads.answer does */
  async answer(request: ThreadRequest, client: ThreadClient): Promise<ThreadAnswer> {
    return (await this.#do({ kind: 'answer', request }, client, client.waited)) as ThreadAnswer
  }

  /** Background work, queued among the requests of its clinic. @throws as ResourceStore.reindex does */
  async reindex(batch: Reindexing): Promise<ReindexedBatch> {
    return (await this.#do({ kind: 'reindex', batch }, { clinic: batch.clinic, token: '' })) as ReindexedBatch
  }

  /**
   * The same; all patients of a batch together may take half of their thread's time.
   * @throws as comparePatients does
   */
  async comparePatients({ clinic, limit, ...more }: PatientBatch): Promise<ComparedBatch> {
    const longest = this.#options.config.limits.workMilliseconds / 2 / limit
    const batch = { clinic, limit, ...more, longest }
    return (await this.#do({ kind: 'duplicates', batch }, { clinic, token: '' })) as ComparedBatch
  }

  /** Fills a generation, which may take longer than a request does. @throws as WorkThreads.answer does */
  async fill(work: FillWork): Promise<FillResult> {
    const { clinic } = 'reset' in work ? work.reset : work.snapshot
    const times = { ...FILLING, until: Date.now() + FILLING.until, grace: GRACE }
    return (await this.#pool.run({ kind: 'fill', work, clinic }, { clinic, token: '' }, times)) as FillResult
  }

  /** One step of a job. @throws as JobWork.step does */
  async workOn(job: NamedJob, owner: JobOwner, signal: AbortSignal): Promise<JobStep> {
    const { clinic } = job
    const times = { ...STEP, until: Date.now() + STEP.until, grace: GRACE }
    return (await this.#pool.run({ kind: 'job', job, owner, clinic }, { clinic, token: '', signal }, times)) as JobStep
  }

  /** @param waited milliseconds that its client has waited before */
  #do(work: ThreadWork, client: Entrant, waited = 0): Promise<ThreadResult> {
    const isOfJob = work.kind === 'answer' && work.request.user !== undefined
    const time = Math.max(0, (isOfJob ? LONGEST_JOB : this.#options.config.limits.workMilliseconds) - waited)
    const transfer = ownBytesOf(work)
    // Work that has waited for half of its time would have too little left.
    return this.#pool.run(work, client, { until: Date.now() + time, longestWait: time / 2, grace: GRACE, transfer })
  }

  /** Ends the threads, whatever they are doing: called when no request is in progress. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}

/** The reason why a request in progress can no longer be served. */
function lost({ hasEffect: mayBeWritten, isLate, error }: ThreadEnd): Error {
  if (mayBeWritten && isLate) return lateWhileWriting()
  if (mayBeWritten) return new StoreUnavailable('The thread that wrote has ended', { mayBeWritten })
  if (isLate) return new BudgetError('too late', 'work that could not be interrupted')
  if (isOutOfMemory(error)) return new BudgetError('too costly', 'the memory that it takes')
  return new StoreUnavailable('The thread that worked on the request has died')
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
