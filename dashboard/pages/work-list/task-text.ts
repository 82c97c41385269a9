/** Short labels for the codes of Tasks. */
import type { Task } from 'fhir/r4'
import { statusText } from '../../fhir/names.ts'

/** Labels for the clinic's CodeSystem/task-code. */
export const CODE_TEXT: Readonly<Record<string, string>> = {
  'billing-escalation': 'Billing escalation',
  callback: 'Callback',
  'identity-outcome': 'Identity outcome',
  'identity-contradiction': 'Somebody else calls',
  'identity-guessing': 'Many failed verifications',
  'record-change': 'Record changed by a call',
  'insurance-follow-up': 'Insurance follow-up',
  'waitlist-offer': 'Waitlist offer',
  'crm-sync-failed': 'CRM sync failed',
  'message-not-sent': 'Message not sent',
  'abandonment-recovery': 'Abandonment recovery',
}

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
