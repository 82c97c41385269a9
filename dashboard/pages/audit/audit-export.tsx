/** Files of the events that are filtered. */
import { useMutation } from '@tanstack/react-query'
import type { AuditEvent } from 'fhir/r4'
import { getAll } from '../../api/all-pages.ts'
import { type Parameters, searchPath } from '../../api/queries.ts'
import { deedOf } from '../../fhir/audit.ts'
import { csvOf } from '../../fhir/csv.ts'
import { ActionList } from '../../parts/action-list.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { download } from '../../parts/download.ts'
import { ErrorView } from '../../parts/page-states.tsx'

/** Events of a file, the newest. */
const MOST = 5_000

const FORMATS = {
  csv: { label: 'CSV: the newest 5,000', type: 'text/csv', write: eventsAsCsv },
  ndjson: { label: 'NDJSON: the newest 5,000 AuditEvents', type: 'application/fhir+ndjson', write: eventsAsNdjson },
} as const

const NAMES = ['csv', 'ndjson'] as const

export function AuditExport({ parameters }: { readonly parameters: Parameters }) {
  const { id } = useClinic()
  const file = useMutation({
    mutationFn: async (name: (typeof NAMES)[number]) => {
      const { matches } = await getAll<AuditEvent>(searchPath('AuditEvent', [...parameters, ['_count', '200']]), MOST)
      const { type, write } = FORMATS[name]
      download(`audit-${id}.${name}`, new Blob([write(matches.slice(0, MOST))], { type }))
    },
  })
  return (
    <>
      <ActionList
        label="Export"
        icon="download"
        isBusy={file.isPending}
        actions={NAMES.map((name) => ({ label: FORMATS[name].label, run: () => file.mutate(name) }))}
      />
      {file.error !== null && <ErrorView error={file.error} />}
    </>
  )
}

const COLUMNS = ['time', 'user', 'role', 'action', 'what', 'patient', 'from', 'outcome', 'status', 'id']

function eventsAsCsv(events: readonly AuditEvent[]): string {
  const rows = events.map((event) => {
    const { who, role, action, what, patient, from, outcome, said } = deedOf(event)
    return [event.recorded, who, role, action, what, patient, from, outcome, said, event.id]
  })
  return csvOf([COLUMNS, ...rows])
}

function eventsAsNdjson(events: readonly AuditEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}
