/** The entry that stands in the journal in place of exchanges that are missing. */
import { randomUUID } from 'node:crypto'
import type { Gap } from '../storage/gaps.ts'
import type { JournalEntry } from '../storage/journal-port.ts'
import type { GapSummary } from './exchange.ts'
import { LEAST_ROLE } from './readers.ts'

export function gapEntry({ clinic, why, from, to, count }: Gap): JournalEntry {
  const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const summary: GapSummary = { gap: { count, from: first, to: last, why } }
  return {
    clinic,
    id: `gap-${randomUUID()}`,
    at: to,
    isGap: true,
    audience: LEAST_ROLE,
    ...{ run: '', call: '', status: 0, path: '', type: '' },
    summary: JSON.stringify(summary),
    detail: '',
  }
}
