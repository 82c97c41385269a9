/** The Tasks of the work list, as staff sort and choose among them: docs/work-list.md. */
import type { Period, Task } from 'fhir/r4'
import { dueOf, OPEN_STATUSES } from './tasks.ts'

export const USERS = 'urn:sandbox-emr:user'

/** The most urgent first, as R4 lists them the other way round. */
const PRIORITIES = ['stat', 'asap', 'urgent', 'routine'] as const
type Priority = (typeof PRIORITIES)[number]

/**
 * Search parameters of each priority, the most urgent first, as FHIR sorts priorities by their letters; a Task without one
 * is a routine.
 */
export const BY_PRIORITY = PRIORITIES.map((priority): readonly [name: string, value: string] =>
  priority === 'routine' ? ['priority:not', 'stat,asap,urgent'] : ['priority', priority],
)

export const priorityOf = ({ priority = 'routine' }: Task): Priority => priority

const OPEN: ReadonlySet<string> = new Set(OPEN_STATUSES.split(','))

export const isOpenTask = ({ status }: Task): boolean => status !== undefined && OPEN.has(status)

export const ownerName = ({ owner }: Task): string =>
  owner?.display ?? owner?.identifier?.value ?? owner?.reference ?? ''

export const isOwnedBy = ({ owner }: Task, username: string): boolean =>
  owner?.identifier?.system === USERS && owner.identifier.value === username

export const codeOf = ({ code }: Task): string => code?.coding?.[0]?.code ?? ''

export const isOverdue = (task: Task, now: number): boolean => isOpenTask(task) && Date.parse(dueOf(task) ?? '') < now

/** When a Task that is put off shows again, in milliseconds since 1970; undefined: it shows. */
export function snoozedUntil(task: Task, now: number): number | undefined {
  const start = Date.parse(task.restriction?.period?.start ?? '')
  return isOpenTask(task) && start > now ? start : undefined
}

/**
 * The period of a Task that is put off: `restriction.period.start` is from when on it is to be done. It is due then,
 * where it would have been due before.
 */
export function periodFrom({ restriction }: Task, start: string): Period {
  const { end } = restriction?.period ?? {}
  const isLater = Date.parse(end ?? '') >= Date.parse(start)
  return { ...restriction?.period, start, ...(end === undefined ? {} : { end: isLater ? end : start }) }
}

export interface Wanted {
  /** Empty: any. */
  readonly owner: string
  readonly priority: string
  readonly due: string
  readonly code: string
  /** `snoozed`, or empty: those that are not. */
  readonly snoozed: string
  readonly username: string
  readonly now: number
}

export function isWanted(task: Task, { owner, priority, due, code, snoozed, username, now }: Wanted): boolean {
  const dueAt = Date.parse(dueOf(task) ?? '')
  const isDue = { overdue: dueAt < now, day: dueAt < now + 86_400_000 }[due] ?? true
  const isOwned = { me: isOwnedBy(task, username), nobody: task.owner === undefined }[owner] ?? true
  const isAsleep = snoozedUntil(task, now) !== undefined
  return (
    isDue &&
    isOwned &&
    isAsleep === (snoozed === 'snoozed') &&
    (priority === '' || priorityOf(task) === priority) &&
    (code === '' || codeOf(task) === code)
  )
}

/** By when they are due, then by how urgent they are. */
function byDue(one: Task, other: Task): number {
  const [first, second] = [one, other].map((task) => Date.parse(dueOf(task) ?? '') || Number.MAX_SAFE_INTEGER)
  const byTime = (first ?? 0) - (second ?? 0)
  return byTime || PRIORITIES.indexOf(priorityOf(one)) - PRIORITIES.indexOf(priorityOf(other))
}

const byPriority = (one: Task, other: Task): number =>
  PRIORITIES.indexOf(priorityOf(one)) - PRIORITIES.indexOf(priorityOf(other)) || byDue(one, other)

const byNewest = (one: Task, other: Task): number =>
  (Date.parse(other.authoredOn ?? '') || 0) - (Date.parse(one.authoredOn ?? '') || 0)

/** @param nameOf the person whom a Task is about. @returns by the name of the order: `due`, `priority`, `newest`, `name` */
export const orderOf = (sort: string, nameOf: (task: Task) => string): ((one: Task, other: Task) => number) =>
  ({
    priority: byPriority,
    newest: byNewest,
    name: (one: Task, other: Task) => nameOf(one).localeCompare(nameOf(other), 'en') || byDue(one, other),
  })[sort] ?? byDue
