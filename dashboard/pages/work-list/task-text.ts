/** Short labels for the statuses of Tasks. */
import type { Task } from 'fhir/r4'
import { statusText } from '../../fhir/names.ts'

const STATUS_TEXT: Readonly<Record<string, string>> = {
  requested: 'Waiting',
  received: 'Waiting',
  accepted: 'Waiting',
  ready: 'Waiting',
  'in-progress': 'In progress',
  'on-hold': 'On hold',
  completed: 'Completed',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  failed: 'Failed',
  draft: 'Draft',
  'entered-in-error': 'Entered in error',
}

export const taskStatusText = (status: Task['status']): string => statusText(status, STATUS_TEXT)
