/**
 * Runs large merges, and their reversals, in the background: each change updates a few resources and records the
 * progress, so that the work resumes there after a crash. One server at a time works on a merge.
 */
import type { ClinicAccess, Context } from '../../core/context.ts'
import type { BackgroundLoop, LeasedJob } from '../../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop, LEASE } from '../../repository/due-records.ts'
import type { Versioned } from '../../repository/repository.ts'
import { MAX_NAMED, MERGE_JOB, type MergeJob, stageProgress } from './merge-job.ts'
import { stageMergeProvenance, stageUnmergeProvenance } from './merge-provenance.ts'
import { movePage } from './move-references.ts'
import { takeBackPage } from './take-back.ts'

/** Milliseconds, see Pace; `turn` is the time between two updates of the Task. */
const PACE = { look: 1_000, pause: 0, turn: 2_000 } as const
/** Most resources of one change: indexed ones are all changed, while hardly any of the others are. */
const CHANGED_AT_ONCE = 25
const LOOKED_AT_AT_ONCE = 200
/** Most characters of changed resources, to free the event loop soon. */
const CHARACTERS_AT_ONCE = 100_000

export const mergeLoop = (services: DueServicesOf<ClinicAccess>): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: MERGE_JOB,
      begin: ({ clinic, key, version }) => new MergeTurn(services.accessOf(clinic), key, version),
      failure: 'a merge of patients could not be worked on',
    },
    PACE,
  )

class MergeTurn implements LeasedJob {
  readonly #access: ClinicAccess
  readonly #key: string
  readonly #end = Date.now() + PACE.turn
  /** Version of the record while this server holds the job; 0: the job is done, or another server has taken it over. */
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

  /** Saves the progress in the Task, and leaves the job to the next server that checks for work. */
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

  /** @returns the new version of the record; 0 if it is deleted, because the job is done */
  async #advance(ctx: Context, job: MergeJob): Promise<number> {
    const { records } = ctx.unit
    const { job: next, isDone } = await advanced(ctx, job)
    if (!isDone) {
      records.put(MERGE_JOB, this.#key, next, { due: ctx.now + LEASE })
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
      })
      if (changed.length > 0) await stageUnmergeProvenance(ctx, by, merges, changed)
      const state = { ...job, changed: job.changed + changed.length, refused: [...all] }
      return next === undefined ? { job: state, isDone: true } : { job: { ...state, position: next }, isDone: false }
    }
  }
}
