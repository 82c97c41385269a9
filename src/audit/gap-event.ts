/** The event that tells of events that are missing in the audit trail. */
import type { Gap } from '../storage/gaps.ts'
import { type AuditedEvent, NO_SUBJECT } from './event.ts'

/** @param now milliseconds since 1970 UTC */
export function gapEvent({ clinic, why, from, to, count }: Gap, now: number): AuditedEvent {
  const missing = count === 1 ? 'One event is' : `${count} events are`
  return {
    ...NO_SUBJECT,
    clinic,
    at: now,
    agent: { kind: 'server' },
    address: '',
    interaction: 'gap',
    detail: `${missing} missing from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}: ${why}`,
    status: 500,
  }
}
