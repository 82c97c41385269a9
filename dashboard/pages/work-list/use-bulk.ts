/** Does the same with one Task or several, with one undo for all of them. */
import type { Task } from 'fhir/r4'
import { useState } from 'react'
import { errorText, foremostOf } from '../../api/problem.ts'
import { offerUndo, tellProblem } from '../../parts/undo.tsx'
import { type Done, restoreOne, useTaskActions } from './task-actions.ts'

/** The most Tasks that are changed at once. */
export const MOST_AT_ONCE = 50

/** @param said after the number of Tasks: `claimed`, `snoozed until …` */
type DoAll = (tasks: readonly Task[], said: string, act: (task: Task) => Promise<Task>) => Promise<void>

export function useBulk(): { readonly isBusy: boolean; readonly doAll: DoAll } {
  const { each } = useTaskActions()
  const [isBusy, setBusy] = useState(false)
  const doAll: DoAll = async (tasks, said, act) => {
    setBusy(true)
    const done = await each(tasks, act)
    setBusy(false)
    tellFailed(done, tasks.length)
    if (done.changed.length === 0) return
    let left = done.changed
    const undo = async () => {
      const { changed, problems } = await each(left, restoreOne)
      const restored = new Set(changed.map(({ id }) => id))
      left = left.filter(({ id }) => !restored.has(id))
      // A passing problem can be tried again with those that are left.
      if (problems.length > 0) throw foremostOf(problems)
    }
    const count = done.changed.length
    offerUndo(`${count} ${count === 1 ? 'task is' : 'tasks are'} ${said}.`, {
      things: done.changed.map(({ id }) => `Task/${id}`),
      undo,
    })
  }
  return { isBusy, doAll }
}

function tellFailed({ problems }: Done, all: number): void {
  const [first] = problems
  if (first === undefined) return
  const reason = errorText(first)
  tellProblem(new Error(all === 1 ? reason : `${problems.length} of ${all} tasks are as before: ${reason}`))
}
