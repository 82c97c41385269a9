/** Notices of the browser for urgent Tasks: off until the user asks for them, and kept for this browser. */
import { useLocalStorage } from '@mantine/hooks'
import type { Task } from 'fhir/r4'
import { useEffect, useRef } from 'react'
import { useSearch } from '../api/queries.ts'
import { matchesIn } from '../fhir/bundles.ts'
import { OPEN_STATUSES } from '../fhir/tasks.ts'
import { useUser } from './clinic-context.tsx'
import { useGo } from './use-go.ts'

/** Whether the user wants them, and a function that asks the browser for its permission. */
export function useUrgentNotices() {
  const { username } = useUser()
  const [isWanted, setWanted] = useLocalStorage({ key: `urgent-notices:${username}`, defaultValue: false })
  const canNotify = 'Notification' in window
  const isOn = isWanted && canNotify && Notification.permission === 'granted'
  const turn = async (on: boolean) => setWanted(on && (await Notification.requestPermission()) === 'granted')
  return { canNotify, isOn, turn }
}

/** The newest urgent Tasks that are open. */
const useUrgentTasks = (isOn: boolean) =>
  useSearch(
    'Task',
    [
      ['status', OPEN_STATUSES],
      ['priority', 'urgent,asap,stat'],
      ['_sort', '-authored-on'],
      ['_elements', 'code'],
      ['_count', '200'],
    ],
    { enabled: isOn },
  ).data

/** Shows a notice for each urgent Task that comes; it names the kind of the Task alone, as others may see the screen. */
export function useNoticeOf(): void {
  const { isOn } = useUrgentNotices()
  const found = useUrgentTasks(isOn)
  const go = useGo()
  const known = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (found === undefined) return
    const urgent = matchesIn<Task>(found)
    const before = known.current
    known.current = new Set([...(before ?? []), ...urgent.map(({ id }) => id ?? '')])
    if (!isOn || before === undefined) return
    for (const task of urgent.filter(({ id }) => !before.has(id ?? '')))
      void notice(task, () => go('/work-list', { task: task.id }))
  }, [found, isOn, go])
}

/** The words for Tasks are loaded with the first notice. */
async function notice(task: Task, open: () => void): Promise<void> {
  const { kindText } = await import('../fhir/task-words.ts')
  const shown = new Notification(`Urgent task: ${kindText(task) || 'Task'}`, { tag: `task-${task.id}` })
  shown.onclick = () => {
    window.focus()
    open()
  }
}
