/**
 * A merge, or its reversal, that is too large for one change: a record holds its progress, and a Task shows it to
 * staff. While it runs, neither of the two Patients can take part in another merge.
 */
import type { Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { conflict } from '../../fhir/outcome.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { Staff } from './merge-input.ts'
import { ACTIVITIES, type MergeBegin, sourceBefore } from './merge-provenance.ts'
import type { Position } from './move-references.ts'
import type { ReturnPosition } from './take-back.ts'

export const MERGE_JOB = recordKind<MergeJob | HeldTarget>('patient-merge')

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
export const MAX_NAMED = 50

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

/** Stages a job, which continues in the background (merge-loop.ts). Call `requireNoJob` for both Patients before. */
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
export async function stageProgress(
  ctx: Context,
  { task, changed, refused }: MergeJob,
  isDone: boolean,
): Promise<void> {
  const current = await ctx.find<Task>('Task', task)
  if (current === undefined) return
  const output = outputOf(changed, refused)
  await ctx.unit.put<Task>({ ...current.resource, output, status: isDone ? 'completed' : 'in-progress' }, 'PUT')
}
