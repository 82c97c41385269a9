/**
 * A merge, or its reversal, that is too large for one change: a record holds its progress, and a Task shows it to staff.
 * While it runs, neither of the two Patients can take part in another merge. It runs in the background: each change updates
 * a few resources and records the progress, so that the work resumes there after a crash. One server at a time works on a
 * merge.
 */
import type { Task } from 'fhir/r4'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { conflict } from '../../fhir/outcome.ts'
import type { BackgroundLoop, LeasedJob } from '../../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop, LEASE } from '../../repository/due-records.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { Staff } from './merge-input.ts'
import {
  ACTIVITIES,
  type MergeBegin,
  sourceBefore,
  stageMergeProvenance,
  stageUnmergeProvenance,
} from './merge-provenance.ts'
import { movePage, type Position } from './move-references.ts'
import { type ReturnPosition, takeBackPage } from './take-back.ts'

const MERGE_JOB = recordKind<MergeJob | HeldTarget>('patient-merge')

interface JobState {
  readonly begin: MergeBegin
  readonly by: Pick<Staff, 'id' | 'name'>
  /** Task.id. */
  readonly task: string
  /** Number of changed resources, including those of the request. */
  readonly changed: number
  /** `Type/id` of resources that could not be changed, MAX_NAMED at most. */
  readonly refused: readonly string[]
}

export type MergeJob =
  | (JobState & { readonly kind: 'merge'; readonly position: Position })
  | (JobState & { readonly kind: 'unmerge'; readonly position: ReturnPosition })

/** Record of the target, kept as long as the job exists. */
interface HeldTarget {
  readonly kind: 'held'
  /** Task.id. */
  readonly task: string
}

/** Most resources listed in a Task as impossible to change. */
const MAX_NAMED = 50

/** A job that has no Task yet. */
export type NewJob<Job = MergeJob> = Job extends MergeJob ? Omit<Job, 'task' | 'refused'> : never

/** @throws FhirError 409 naming the Task */
export async function requireNoJob(ctx: Context, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const record = await ctx.unit.records.read(MERGE_JOB, id)
    if (record === undefined) continue
    throw conflict(
      `A merge of Patient/${id} is still under way; try again when Task/${record.value.task} is completed`,
      { reason: 'merge-in-progress' },
    )
  }
}

/** Stages a job, which continues in the background (mergeLoop). Call `requireNoJob` for both Patients before. */
export async function stageJob(ctx: Context, begun: NewJob): Promise<Versioned<Task>> {
  const task = await ctx.unit.put<Task>(taskFor(ctx, begun), 'POST')
  const { source, target } = begun.begin
  const { records } = ctx.unit
  records.put(MERGE_JOB, source.id, { ...begun, task: task.id, refused: [] }, { due: ctx.now })
  records.put(MERGE_JOB, target.id, { kind: 'held', task: task.id })
  return task
}

const taskFor = (ctx: Context, { kind, begin, changed }: NewJob): Task => ({
  resourceType: 'Task',
  status: 'in-progress',
  intent: 'order',
  code: { coding: [ACTIVITIES[kind]] },
  description:
    kind === 'merge'
      ? 'References to the source of a merge are being moved to its target'
      : 'References that a merge has moved are being moved back',
  for: { reference: `Patient/${begin.target.id}` },
  authoredOn: new Date(ctx.now).toISOString(),
  input: [{ type: { text: 'source-patient' }, valueReference: sourceBefore(begin) }],
  output: outputOf(changed, []),
})

const outputOf = (changed: number, refused: readonly string[]): NonNullable<Task['output']> => [
  { type: { text: 'resources-changed' }, valueInteger: changed },
  ...refused.map((one) => ({
    type: { text: 'resource-that-could-not-be-changed' },
    valueString: one,
  })),
]

/** Updates the progress for staff; a Task that they have deleted is left alone. */
async function stageProgress(ctx: Context, { task, changed, refused }: MergeJob, isDone: boolean): Promise<void> {
  const current = await ctx.find<Task>('Task', task)
  if (current === undefined) return
  const output = outputOf(changed, refused)
  await ctx.unit.put<Task>({ ...current.resource, output, status: isDone ? 'completed' : 'in-progress' }, 'PUT')
}

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
