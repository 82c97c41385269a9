/** The Tasks of the work list, as staff sort and choose among them: docs/work-list.md. */
import type { Task, TaskInput } from 'fhir/r4'
import { conceptText } from './names.ts'
import { dueOf, OPEN_STATUSES } from './tasks.ts'

export const USERS = 'urn:sandbox-emr:user'

/** The most urgent first, as R4 lists them the other way round. */
const PRIORITIES = ['stat', 'asap', 'urgent', 'routine'] as const
type Priority = (typeof PRIORITIES)[number]

export const priorityOf = ({ priority = 'routine' }: Task): Priority => priority

const OPEN: ReadonlySet<string> = new Set(OPEN_STATUSES.split(','))

export const isOpenTask = ({ status }: Task): boolean => status !== undefined && OPEN.has(status)

export const ownerName = ({ owner }: Task): string =>
  owner?.display ?? owner?.identifier?.value ?? owner?.reference ?? ''

export const isOwnedBy = ({ owner }: Task, username: string): boolean =>
  owner?.identifier?.system === USERS && owner.identifier.value === username

export const codeOf = ({ code }: Task): string => code?.coding?.[0]?.code ?? ''

export const isOverdue = (task: Task, now: number): boolean => isOpenTask(task) && Date.parse(dueOf(task) ?? '') < now

export interface Wanted {
  /** Empty: any. */
  readonly owner: string
  readonly priority: string
  readonly due: string
  readonly code: string
  readonly username: string
  readonly now: number
}

export function isWanted(task: Task, { owner, priority, due, code, username, now }: Wanted): boolean {
  const dueAt = Date.parse(dueOf(task) ?? '')
  const isDue = { overdue: dueAt < now, day: dueAt < now + 86_400_000 }[due] ?? true
  const isOwned = { me: isOwnedBy(task, username), nobody: task.owner === undefined }[owner] ?? true
  return (
    isDue && isOwned && (priority === '' || priorityOf(task) === priority) && (code === '' || codeOf(task) === code)
  )
}

/** By when they are due, then by how urgent they are. */
export function byDue(one: Task, other: Task): number {
  const [first, second] = [one, other].map((task) => Date.parse(dueOf(task) ?? '') || Number.MAX_SAFE_INTEGER)
  const byTime = (first ?? 0) - (second ?? 0)
  return byTime || PRIORITIES.indexOf(priorityOf(one)) - PRIORITIES.indexOf(priorityOf(other))
}

export const inputLabel = ({ type }: TaskInput): string => {
  const label = conceptText(type)
  return LABELS[type.coding?.[0]?.code ?? ''] ?? (label || 'Attached')
}

/** Labels shorter than the displays of the CodeSystem, and for Tasks that have a code only. */
const LABELS: Readonly<Record<string, string>> = {
  slot: 'Slot offered',
  'refused-by': 'Refused by',
  transcript: 'Transcript',
  'identity-outcome': 'Outcome of identity',
  'call-id': 'Call',
  'caller-number': 'Caller',
  'dialed-number': 'Dialled',
}
