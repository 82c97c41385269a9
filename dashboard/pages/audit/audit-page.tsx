/** The audit trail of the clinic: who did what to whose data, with filters and export. docs/audit.md */
import { Button, Group, NativeSelect } from '@mantine/core'
import { useMemo } from 'react'
import { type Parameters, searchPath } from '../../api/queries.ts'
import { AuditEvents, ForAdmins } from '../../parts/audit-events.tsx'
import { CopyAsCurl, CopyLink } from '../../parts/copy.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { sinceOf, TimeFields } from '../../parts/time-fields.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { TypedFilter } from '../../parts/typed-filter.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { auditFile, FORMATS } from './audit-files.ts'

const DEFAULTS = { range: '', since: '', until: '', user: '', action: '', kind: '', patient: '', outcome: '' }
type Filters = typeof DEFAULTS

/** https://hl7.org/fhir/R4/valueset-audit-event-action.html */
const ACTIONS = [
  { value: '', label: 'Any action' },
  { value: 'C', label: 'Created' },
  { value: 'R', label: 'Read' },
  { value: 'U', label: 'Changed' },
  { value: 'D', label: 'Deleted' },
  { value: 'E', label: 'Searched or called' },
]

/** A search parameter and its value. */
const KINDS = [
  { value: '', label: 'Any type' },
  { value: 'type=rest', label: 'FHIR and tools' },
  { value: 'subtype=search-type', label: 'Searches' },
  { value: 'subtype=operation', label: 'Operations and tools' },
  { value: 'type=110114', label: 'Sign-ins and sign-outs' },
  { value: 'type=110113', label: 'Refusals and gaps' },
  { value: 'type=110100', label: 'Calls' },
]

const OUTCOMES = [
  { value: '', label: 'Any outcome' },
  { value: '0', label: 'Done' },
  { value: '4', label: 'Refused' },
  { value: '8', label: 'Failed' },
]

export function AuditPage() {
  const isAdmin = useMayChange()
  return isAdmin ? (
    <Trail />
  ) : (
    <>
      <PageHead title="Audit" />
      <ForAdmins />
    </>
  )
}

function Trail() {
  const [filters, setFilters] = useFilters(DEFAULTS)
  const key = JSON.stringify(filters)
  // A time that ends with now begins when the filters change, so that pages follow each other.
  // biome-ignore lint/correctness/useExhaustiveDependencies: all filters are in the key
  const parameters = useMemo(() => parametersOf(filters), [key])
  return (
    <>
      <PageHead
        title="Audit"
        description={<ZoneNote />}
        actions={
          <>
            <CopyLink />
            <ExportMenu name="audit" labels={FORMATS} read={(format) => auditFile(parameters, format)} />
            <CopyAsCurl request={{ path: searchPath('AuditEvent', parameters) }} />
          </>
        }
      />
      <Group mb="sm" gap="sm" align="end">
        <TimeFields filters={filters} onChange={setFilters} />
        <TypedFilter label="User" value={filters.user} placeholder="demo" onChange={(user) => setFilters({ user })} />
        <TypedFilter label="Patient id" value={filters.patient} onChange={(patient) => setFilters({ patient })} />
        <Choice label="Action" of={ACTIONS} value={filters.action} onChoose={(action) => setFilters({ action })} />
        <Choice label="Type" of={KINDS} value={filters.kind} onChoose={(kind) => setFilters({ kind })} />
        <Choice label="Outcome" of={OUTCOMES} value={filters.outcome} onChoose={(outcome) => setFilters({ outcome })} />
        {key !== JSON.stringify(DEFAULTS) && (
          <Button variant="default" onClick={() => setFilters(DEFAULTS)}>
            Clear filters
          </Button>
        )}
      </Group>
      <AuditEvents key={key} parameters={parameters} height="calc(100dvh - 240px)" />
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly of: readonly { readonly value: string; readonly label: string }[]
  readonly value: string
  readonly onChoose: (value: string) => void
}

const Choice = ({ label, of, value, onChoose }: ChoiceProps) => (
  <NativeSelect label={label} data={of} value={value} onChange={(event) => onChoose(event.currentTarget.value)} />
)

function parametersOf({ range, since, until, user, action, kind, patient, outcome }: Filters): Parameters {
  const begin = sinceOf({ range, since })
  const [name = '', code = ''] = kind.split('=')
  const all: Parameters = [
    ['date', begin === '' ? '' : `ge${begin}`],
    ['date', until === '' ? '' : `lt${until}`],
    ['altid', user],
    ['action', action],
    [KINDS.some(({ value }) => value === kind) ? name : '', code],
    ['patient', patient === '' ? '' : `Patient/${patient.replace(/^Patient\//, '')}`],
    ['outcome', outcome],
  ]
  return all.filter(([parameter, value]) => parameter !== '' && value !== '')
}
