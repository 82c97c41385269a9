/** Files of the events that are filtered. */
import type { AuditEvent } from 'fhir/r4'
import { getAll } from '../../api/all-pages.ts'
import type { Parameters } from '../../api/queries.ts'
import { deedOf } from '../../fhir/audit.ts'
import { csvOf } from '../../fhir/csv.ts'

/** Events of a file, the newest. */
const MOST = 5_000

export const FORMATS = { csv: 'CSV: the newest 5,000', ndjson: 'NDJSON: the newest 5,000 AuditEvents' } as const

export async function auditFile(parameters: Parameters, format: keyof typeof FORMATS): Promise<Blob> {
  const { matches } = await getAll<AuditEvent>('AuditEvent', parameters, MOST)
  const events = matches.slice(0, MOST)
  return format === 'csv'
    ? new Blob([eventsAsCsv(events)], { type: 'text/csv' })
    : new Blob([eventsAsNdjson(events)], { type: 'application/fhir+ndjson' })
}

const COLUMNS = ['time', 'user', 'role', 'action', 'what', 'patient', 'from', 'outcome', 'status', 'id']

function eventsAsCsv(events: readonly AuditEvent[]): string {
  const rows = events.map((event) => {
    const { who, role, action, what, patient, from, outcome, said } = deedOf(event)
    return [event.recorded, who, role, action, what, patient, from, outcome, said, event.id]
  })
  return csvOf([COLUMNS, ...rows])
}

const eventsAsNdjson = (events: readonly AuditEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('')
