/** Actions on Tasks, by the documented operations: docs/work-list.md. */
import { useQueryClient } from '@tanstack/react-query'
import type { Annotation, Reference, Task } from 'fhir/r4'
import { useMemo } from 'react'
import type { Colleague } from '../../api/accounts.ts'
import { get } from '../../api/client.ts'
import { clinicNow } from '../../api/clock.ts'
import { operate, patch, put } from '../../api/operations.ts'
import { Problem } from '../../api/problem.ts'
import { readAnew } from '../../api/read-anew.ts'
import { periodFrom, USERS } from '../../fhir/work.ts'

export interface Completion {
  /** A code of CodeSystem/task-outcome; empty: the text alone. */
  readonly code: string
  readonly text: string
  readonly note: string
}

const OUTCOMES = 'https://sandbox-emr.example/fhir/CodeSystem/task-outcome'

export function useTaskActions() {
  const client = useQueryClient()
  return useMemo(() => {
    const refresh = () => readAnew(client, 'Task', 'today')
    const then = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work
      } finally {
        await refresh()
      }
    }
    return {
      claim: (id: string) => then(claimOne(id)),
      release: (id: string) => then(operate<Task>(`Task/${id}/$claim`, [['release', { valueBoolean: true }]])),
      complete: (id: string, completion: Completion) => then(completeOne(id, completion)),
      assign: (task: Task, to: Colleague) => then(assignOne(task, to)),
      snooze: (task: Task, start: string) => then(snoozeOne(task, start)),
      comment: (task: Task, text: string, by: Colleague) => then(commentOn(task, noteOf(text, by))),
      restore: (after: Task) => then(restoreOne(after)),
      /** Does the same with several Tasks, one after the other, and reads the list once. */
      each: (tasks: readonly Task[], act: (task: Task) => Promise<Task>) => then(eachOf(tasks, act)),
    }
  }, [client])
}

export interface Done {
  /** As the action has made them; those that it has not changed are left out. */
  readonly changed: readonly Task[]
  readonly problems: readonly unknown[]
}

async function eachOf(tasks: readonly Task[], act: (task: Task) => Promise<Task>): Promise<Done> {
  const changed: Task[] = []
  const problems: unknown[] = []
  for (const task of tasks) {
    try {
      const after = await act(task)
      if (after.meta?.versionId !== task.meta?.versionId) changed.push(after)
    } catch (error) {
      problems.push(error)
    }
  }
  return { changed, problems }
}

export const claimOne = (id: string): Promise<Task> => operate<Task>(`Task/${id}/$claim`, [])

const referenceTo = ({ username, name }: Colleague): Reference => ({
  identifier: { system: USERS, value: username },
  display: name,
})

/** @throws Problem 412 where it has been changed since it was read */
export const assignOne = (task: Task, to: Colleague): Promise<Task> =>
  patch(task, [{ op: 'add', path: '/owner', value: referenceTo(to) }])

/** @param start FHIR's instant. @throws Problem 412 where it has been changed since it was read */
export const snoozeOne = (task: Task, start: string): Promise<Task> =>
  patch(task, [{ op: 'add', path: '/restriction', value: { ...task.restriction, period: periodFrom(task, start) } }])

/**
 * Writes the version before this one, which may be newer than the one that was seen. @throws Problem 412 where there is
 * a newer one
 */
export async function restoreOne({ id, meta }: Task): Promise<Task> {
  const before = await get<Task>(`Task/${id}/_history/${Number(meta?.versionId) - 1}`)
  return put(before, meta?.versionId)
}

export const completeOne = (id: string, { code, text, note }: Completion): Promise<Task> =>
  operate<Task>(`Task/${id}/$complete`, [
    ['outcome', { valueCodeableConcept: code === '' ? { text } : { coding: [{ system: OUTCOMES, code }], text } }],
    ...(note === '' ? [] : [['note', { valueString: note }] as const]),
  ])

const noteOf = (text: string, by: Colleague): Annotation => ({
  authorReference: referenceTo(by),
  time: new Date(clinicNow()).toISOString(),
  text,
})

/** Adds a comment; where another one was added meanwhile, it is written after that. */
async function commentOn(task: Task, note: Annotation): Promise<Task> {
  try {
    return await patch(task, [
      task.note === undefined
        ? { op: 'add', path: '/note', value: [note] }
        : { op: 'add', path: '/note/-', value: note },
    ])
  } catch (error) {
    if (!(error instanceof Problem && error.status === 412)) throw error
    return commentOn(await get<Task>(`Task/${task.id}`), note)
  }
}
