/**
 * Works on the jobs of all clinics: a few side by side, of a clinic one at a time. A job that has had its turn goes to the end of the
 * line. Another process takes over one whose process has died, and goes on after its last finished step.
 */
import { randomUUID } from 'node:crypto'
import type { BackgroundLoop, LeasedJob, LoopPace } from '../isolation/background-loop.ts'
import { listForAddition } from '../repository/additions.ts'
import { type DueServices, dueRecordLoop, type LeasedRecord } from '../repository/due-records.ts'
import { type KindRecord, type Repository, StoreUnavailable, type UnitOfWork } from '../repository/repository.ts'
import { useContent } from '../repository/used-content.ts'
import {
  isOver,
  JOB,
  type Job,
  type JobFailure,
  type JobFile,
  type JobKind,
  type JobStep,
  type JobWork,
  type NamedJob,
} from './job.ts'
import { KEPT, named, ownerNow, releaseFiles, stageRemoval } from './jobs.ts'

/** Milliseconds; `atOnce`: jobs that a process works on side by side, each of another clinic. */
const PACE: LoopPace = { look: 200, pause: 0, atOnce: 3 }
/** Milliseconds after which another process takes over a job whose process has died. */
const LEASE = 6_000
/** Longest turn, in milliseconds, where a job can be divided. */
const TURN = 2_000
/** Milliseconds before the next try, where the clinic has a job at work, the store cannot serve, or too many requests wait. */
const AGAIN = { busy: 100, store: 2_000, throttled: 1_000 }
/** Turns that may end with their process, or because the store cannot serve, until the job fails. */
const MOST_BROKEN = 10

export interface JobServices extends DueServices {
  readonly repository: Repository
  readonly kinds: Partial<Readonly<Record<JobKind, JobWork>>>
  /** The failure of a job by an error of its step, which is logged where it is unexpected. */
  readonly failureOf: (error: unknown) => JobFailure
}

export const jobLoop = (services: JobServices): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: JOB,
      lease: LEASE,
      begin: (record, unit) => begin(services, record, unit),
      failure: 'a job could not be worked on',
    },
    PACE,
  )

const NOTHING: LeasedJob = { batch: async () => false, end: async () => {} }

/** In the change that leases the record. */
async function begin(services: JobServices, record: LeasedRecord<Job>, unit: UnitOfWork): Promise<LeasedJob> {
  const { clinic, key, value: job } = record
  if (isOver(job)) {
    await stageRemoval(unit, key)
    return NOTHING
  }
  const hasDied = job.state === 'running'
  const broken = (job.broken ?? 0) + (hasDied ? 1 : 0)
  const failure = await refusalOf(services, { ...job, broken, id: key, clinic }, hasDied)
  if (failure !== undefined) {
    await stageEnd(unit, key, job, failure)
    return NOTHING
  }
  if (await isAnotherAtWork(unit, key)) {
    unit.records.put(JOB, key, job, { due: unit.writtenAt + AGAIN.busy })
    return NOTHING
  }
  const turn = randomUUID()
  unit.records.put(JOB, key, { ...job, state: 'running', broken, turn }, { due: unit.writtenAt + LEASE })
  return new JobTurn(services, clinic, key, turn)
}

/** The reason why a job is not worked on any more. */
async function refusalOf(
  { repository, kinds }: JobServices,
  job: NamedJob,
  hasDied: boolean,
): Promise<JobFailure | undefined> {
  if ((await repository.generation(job.clinic)).number !== job.generation) return failed(409, 'conflict', RESET)
  if ((job.broken ?? 0) > MOST_BROKEN) return failed(500, 'exception', BROKEN)
  if (hasDied && kinds[job.kind]?.mayRepeat?.(job) === false) return failed(500, 'incomplete', UNKNOWN)
  return undefined
}

const failed = (status: number, code: JobFailure['issues'][number]['code'], diagnostics: string): JobFailure => ({
  status,
  issues: [{ code, diagnostics }],
})

const RESET = 'The clinic was reset while the job waited or ran, so the data that it was for are gone'
const BROKEN = 'The server ended, or its store could not serve, each time that it worked on the job; it is given up'
const UNKNOWN =
  'The server ended, its store could not serve, or the response was lost, while the request was done: what was sent is stored as a whole, or not at all; of a batch, in part. Look before you send it again'

/**
 * Whether a process works on another job of the clinic, so that no clinic takes the turns of others. Of several that begin at once the
 * store lets one do so, as of several additions.
 */
async function isAnotherAtWork(unit: UnitOfWork, key: string): Promise<boolean> {
  const isAtWork = (jobs: readonly KindRecord<Job>[]) =>
    jobs.some((one) => one.key !== key && one.value.state === 'running' && (one.due ?? 0) > unit.writtenAt)
  return (
    isAtWork(await unit.records.list(JOB, { after: '', limit: MOST_JOBS })) ||
    isAtWork(await listForAddition(unit, JOB, MOST_JOBS))
  )
}

/** Jobs of a clinic that are looked at: more than it has. */
const MOST_JOBS = 1_000

/** Stages the end of a job, after which its result is kept for a while. A failed one has no files. */
async function stageEnd(unit: UnitOfWork, id: string, job: Job, end: 'done' | JobFailure): Promise<void> {
  const { turn: _turn, broken: _broken, ...rest } = job
  const isDone = end === 'done'
  const kept = isDone ? job.files : []
  await releaseFiles(unit, id, { input: job.input, files: isDone ? [] : job.files })
  const [doneAt, expires] = [unit.writtenAt, unit.writtenAt + KEPT]
  // An error that is stored by another thread would lose all but its message.
  const over = isDone
    ? { state: 'done' as const }
    : { state: 'failed' as const, failure: { status: end.status, issues: end.issues } }
  unit.records.put(JOB, id, { ...rest, ...over, input: [], files: kept, doneAt, expires }, { due: expires })
}

/** Works on one job, step by step, until its turn is over. */
class JobTurn implements LeasedJob {
  readonly #services: JobServices
  readonly #clinic: string
  readonly #id: string
  readonly #turn: string
  readonly #end = Date.now() + TURN
  readonly #cancelled = new AbortController()
  /** Milliseconds before the next turn. */
  #rest = 0
  /** The step may have been done, and must not be done again. */
  #isUnknown = false

  constructor(services: JobServices, clinic: string, id: string, turn: string) {
    this.#services = services
    this.#clinic = clinic
    this.#id = id
    this.#turn = turn
  }

  /** The steps of a turn follow each other without a pause, as they work in other threads. */
  async batch(): Promise<boolean> {
    const beat = setInterval(() => void this.#extend().catch(() => {}), LEASE / 3)
    try {
      while (Date.now() < this.#end && (await this.#step())) {
        // The next step follows.
      }
    } finally {
      clearInterval(beat)
    }
    return false
  }

  /** Leaves a job that has not ended to the next process that looks for work: one whose outcome is unknown as if this one had died. */
  async end(): Promise<void> {
    await this.#change((unit, job) => {
      const { turn: _turn, ...rest } = job
      const state = this.#isUnknown ? 'running' : 'waiting'
      unit.records.put(JOB, this.#id, { ...rest, state }, { due: unit.writtenAt + this.#rest })
    })
  }

  /** False: the turn is over. */
  async #step(): Promise<boolean> {
    const { repository, kinds, failureOf } = this.#services
    const record = await repository.readRecord(this.#clinic, JOB, this.#id)
    if (record?.value.turn !== this.#turn) return false
    const job = named(this.#clinic, record)
    try {
      const work = kinds[job.kind]
      if (work === undefined) throw new Error(`There is no work for jobs of the kind ${job.kind}`)
      const owner = await ownerNow(repository, job)
      this.#isUnknown = work.mayRepeat?.(job) === false
      const step = await work.step(job, owner, this.#cancelled.signal)
      this.#rest = step.rest ?? 0
      return (await this.#save(step)) && this.#rest === 0
    } catch (error) {
      await this.#fail(error, failureOf)
      return false
    }
  }

  async #save(step: JobStep): Promise<boolean> {
    const { work, progress, share, files = [], replacesFiles = false, end } = step
    return await this.#change(async (unit, job) => {
      for (const { sha256 } of files) await useContent(unit.records, sha256, this.#id)
      if (replacesFiles) await releaseFiles(unit, this.#id, { input: [], files: without(job.files, files) })
      const all = replacesFiles ? files : [...job.files, ...files]
      const next: Job = { ...job, work, progress, files: all, broken: 0, ...(share === undefined ? {} : { share }) }
      if (end === undefined) unit.records.put(JOB, this.#id, next, { due: unit.writtenAt + LEASE })
      else await stageEnd(unit, this.#id, next, end)
      return end === undefined
    })
  }

  /** An error is the end of the job, unless a later try may succeed. */
  async #fail(error: unknown, failureOf: JobServices['failureOf']): Promise<void> {
    const isAway = error instanceof StoreUnavailable
    const failure = isAway ? undefined : failureOf(error)
    if (isAway || failure?.status === 429) {
      this.#rest = isAway ? AGAIN.store : AGAIN.throttled
      this.#isUnknown &&= isAway
      if (isAway) await this.#countBroken(() => failureOf(error))
      return
    }
    await this.#change((unit, job) => stageEnd(unit, this.#id, job, failure ?? failureOf(error)))
  }

  async #countBroken(lastFailure: () => JobFailure): Promise<void> {
    await this.#change(async (unit, job) => {
      const broken = (job.broken ?? 0) + 1
      if (broken > MOST_BROKEN) await stageEnd(unit, this.#id, job, lastFailure())
      else unit.records.put(JOB, this.#id, { ...job, broken }, { due: unit.writtenAt + LEASE })
    })
  }

  async #extend(): Promise<void> {
    const isOurs = await this.#change((unit, job) => {
      unit.records.put(JOB, this.#id, job, { due: unit.writtenAt + LEASE })
      return true
    })
    if (!isOurs) this.#cancelled.abort()
  }

  /** A change of the job while it is ours; nothing is changed once it was deleted, or another process has taken it over. */
  async #change<T>(work: (unit: UnitOfWork, job: Job) => T | Promise<T>): Promise<T | false> {
    return await this.#services.repository.change(this.#clinic, async (unit) => {
      const job = (await unit.records.read(JOB, this.#id))?.value
      return job?.turn === this.#turn ? await work(unit, job) : false
    })
  }
}

const without = (files: readonly JobFile[], kept: readonly JobFile[]): readonly JobFile[] =>
  files.filter(({ sha256 }) => !kept.some((one) => one.sha256 === sha256))
