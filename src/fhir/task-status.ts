/** Which Tasks are open: https://hl7.org/fhir/R4/valueset-task-status.html. */
import type { Task } from 'fhir/r4'

export const OPEN_TASK_STATUSES: readonly Task['status'][] = [
  'requested',
  'received',
  'accepted',
  'in-progress',
  'on-hold',
  'ready',
]

/** Nobody has closed it; a draft is not asked of anybody yet. */
export const isOpenTask = ({ status }: Task): boolean => OPEN_TASK_STATUSES.includes(status)
