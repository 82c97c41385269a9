/**
 * Goes on with large merges, and their returns, in the background: a few resources in each change, which also records how far
 * it is, so that it goes on where it was when a server dies. One server at a time works on a merge.
 */
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type LeasedJob } from '../../budget/background-loop.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import type { Repository, Versioned } from '../../repository/repository.ts'
import { MAX_NAMED, MERGE_JOB, type MergeJob, stageProgress } from './merge-job.ts'
import { stageMergeProvenance, stageUnmergeProvenance } from './merge-provenance.ts'
import { movePage } from './move-references.ts'
import { takeBackPage } from './take-back.ts'

/** Milliseconds: see Pace; `turn` is the work on a merge before its Task tells of it. */
const PACE = { look: 1_000, pause: 0, turn: 2_000, lease: 15_000 } as const
/** Merges of one query for work. */
const MAX_JOBS = 20
/** Resources of one change: those that are found by the index are changed, of all others hardly any. */
const CHANGED_AT_ONCE = 25
const LOOKED_AT_AT_ONCE = 200
/** Of those that are changed, so that the event loop is free again soon. */
const CHARACTERS_AT_ONCE = 100_000

interface Services {
  readonly repository: Repository
  readonly logger: Logger
  readonly accessOf: (clinic: string) => ClinicAccess
}

/** Several processes may run one each. */
export const mergeLoop = (services: Services): BackgroundLoop => new BackgroundLoop(new Merges(services), PACE)

class Merges implements JobSource {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  async *jobs(): AsyncGenerator<Job> {
    const { repository, accessOf } = this.#services
    for (let hasWorked = true; hasWorked; ) {
      hasWorked = false
      for (const { clinic, key } of await repository.records(MERGE_JOB, { dueBefore: Date.now(), limit: MAX_JOBS })) {
        const lease = async (): Promise<LeasedJob | undefined> => {
          const access = accessOf(clinic)
          const version = await takeTurn(access, key)
          hasWorked ||= version !== undefined
          return version === undefined ? undefined : new MergeTurn(access, key, version)
        }
        yield { lease }
      }
    }
  }

  /** A fault with one merge leaves the others alone; its own lease makes it wait. */
  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, 'a merge of patients could not be worked on')
    return true
  }
}

/** Leases the job. @returns the version of its record; undefined: another server works on it */
const takeTurn = (access: ClinicAccess, key: string): Promise<number | undefined> =>
  access.change(async ({ unit: { records }, now }) => {
    const record = await records.read(MERGE_JOB, key)
    if (record === undefined || record.due === null || record.due > now) return undefined
    records.put(MERGE_JOB, key, record.value, { due: now + PACE.lease })
    return records.nextVersion(MERGE_JOB, key)
  })

class MergeTurn implements LeasedJob {
  readonly #access: ClinicAccess
  readonly #key: string
  readonly #end = Date.now() + PACE.turn
  /** Of the record, unless another server has taken the job over; 0: it is done, or taken over. */
  #version: number

  constructor(access: ClinicAccess, key: string, version: number) {
    this.#access = access
    this.#key = key
    this.#version = version
  }

  async batch(): Promise<boolean> {
    this.#version = await this.#access.change(async (ctx) => {
      const job = await this.#read(ctx)
      return job === undefined ? 0 : await this.#advance(ctx, job)
    })
    return this.#version > 0 && Date.now() <= this.#end
  }

  /** Says in the Task how far it is, and leaves the job to whoever looks next. */
  async end(): Promise<void> {
    await this.#access.change(async (ctx) => {
      const job = await this.#read(ctx)
      if (job === undefined) return
      await stageProgress(ctx, job, false)
      ctx.unit.records.put(MERGE_JOB, this.#key, job, { due: ctx.now })
    })
  }

  async #read({ unit: { records } }: Context): Promise<MergeJob | undefined> {
    const record = await records.read(MERGE_JOB, this.#key)
    return record?.version === this.#version && record.value.kind !== 'held' ? record.value : undefined
  }

  /** @returns the version of the record as it will be; 0: it is gone, as the job is done */
  async #advance(ctx: Context, job: MergeJob): Promise<number> {
    const { records } = ctx.unit
    const { job: next, isDone } = await advanced(ctx, job)
    if (!isDone) {
      records.put(MERGE_JOB, this.#key, next, { due: ctx.now + PACE.lease })
      return records.nextVersion(MERGE_JOB, this.#key)
    }
    await stageProgress(ctx, next, true)
    await records.read(MERGE_JOB, job.begin.target.id)
    records.delete(MERGE_JOB, job.begin.target.id)
    records.delete(MERGE_JOB, this.#key)
    return 0
  }
}

interface Advanced {
  readonly job: MergeJob
  readonly isDone: boolean
}

async function advanced(ctx: Context, job: MergeJob): Promise<Advanced> {
  const all = new Set(job.refused)
  const onRefusal = ({ type, id }: Versioned): void => {
    if (all.size < MAX_NAMED) all.add(`${type}/${id}`)
  }
  const { begin, by } = job
  switch (job.kind) {
    case 'merge': {
      const move = { from: begin.source.id, to: begin.target.id }
      const count = job.position.among === 'indexed' ? CHANGED_AT_ONCE : LOOKED_AT_AT_ONCE
      const { changed, next } = await movePage(ctx, move, job.position, {
        count,
        characters: CHARACTERS_AT_ONCE,
        onRefusal,
        pause: setImmediate,
      })
      if (changed.length > 0) await stageMergeProvenance(ctx, by, begin, changed)
      const state = { ...job, changed: job.changed + changed.length, refused: [...all] }
      return next === undefined ? { job: state, isDone: true } : { job: { ...state, position: next }, isDone: false }
    }
    case 'unmerge': {
      const { changed, merges, next } = await takeBackPage(ctx, begin, job.position, {
        count: CHANGED_AT_ONCE,
        characters: CHARACTERS_AT_ONCE,
        onRefusal,
        pause: setImmediate,
      })
      if (changed.length > 0) await stageUnmergeProvenance(ctx, by, merges, changed)
      const state = { ...job, changed: job.changed + changed.length, refused: [...all] }
      return next === undefined ? { job: state, isDone: true } : { job: { ...state, position: next }, isDone: false }
    }
  }
}
