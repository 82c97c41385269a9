/** The notices of the browser for urgent Tasks, where the user has asked for them. */
import type { Task } from 'fhir/r4'
import { useEffect, useRef } from 'react'
import { kindText } from '../fhir/task-words.ts'
import { priorityOf } from '../fhir/work.ts'
import { useGo } from './use-go.ts'

/** Shows a notice for each urgent Task that comes; it names the kind of the Task alone, as others may see the screen. */
export function UrgentNotices({ tasks }: { readonly tasks: readonly Task[] | undefined }) {
  const go = useGo()
  const known = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (tasks === undefined) return
    const urgent = tasks.filter((task) => priorityOf(task) !== 'routine')
    const before = known.current
    known.current = new Set([...(before ?? []), ...urgent.map(({ id }) => id ?? '')])
    if (before === undefined) return
    for (const task of urgent.filter(({ id }) => !before.has(id ?? ''))) {
      const notice = new Notification(`Urgent task: ${kindText(task) || 'Task'}`, { tag: `task-${task.id}` })
      notice.onclick = () => {
        window.focus()
        go('/work-list', { task: task.id })
      }
    }
  }, [tasks, go])
  return null
}
