/** One patient: demographics, timeline, appointments, coverage, documents, history, and possible duplicates. */

import { Badge, Group, Tabs } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Patient } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import { useGet } from '../../api/queries.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { patientName, telecomOf } from '../../fhir/names.ts'
import { bornText, isPlaceholder } from '../../fhir/patients.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Appointments } from './appointments.tsx'
import { Coverages } from './coverages.tsx'
import { Details } from './details.tsx'
import { Documents } from './documents.tsx'
import { Duplicates } from './duplicates.tsx'
import { History } from './history.tsx'
import { Merges } from './merges.tsx'
import { Timeline } from './timeline.tsx'
import { WhoLooked } from './who-looked.tsx'

const TABS = [
  { value: 'details', label: 'Details', Content: Details },
  { value: 'timeline', label: 'Timeline', Content: Timeline },
  { value: 'appointments', label: 'Appointments', Content: Appointments },
  { value: 'coverage', label: 'Coverage', Content: Coverages },
  { value: 'documents', label: 'Documents', Content: Documents },
  { value: 'duplicates', label: 'Duplicates', Content: Duplicates },
  { value: 'history', label: 'History', Content: History },
  { value: 'who-looked', label: 'Who looked', Content: WhoLooked },
] as const

const SHOWN = [
  'Patient',
  'Appointment',
  'Communication',
  'Coverage',
  'CoverageEligibilityResponse',
  'DocumentReference',
  'Encounter',
  'Task',
]

export function PatientPage() {
  const { id = '' } = useParams({ strict: false })
  const { id: clinic } = useClinic()
  useFresh(clinic, SHOWN)
  const query = useGet<Patient>(`Patient/${id}`)
  return <Loaded query={query}>{(patient) => <PatientView key={id} patient={patient} />}</Loaded>
}

function PatientView({ patient }: { readonly patient: Patient }) {
  const [{ tab }, setFilters] = useFilters({ tab: 'details' })
  return (
    <>
      <PageHead
        title={patientName(patient)}
        description={<Summary patient={patient} />}
        actions={<CopyAsCurl request={{ path: `Patient/${patient.id}` }} />}
      />
      <Merges patient={patient} />
      <Tabs value={tab} onChange={(value) => setFilters({ tab: value ?? 'details' })} keepMounted={false}>
        <Tabs.List mb="md" style={{ overflowX: 'auto', flexWrap: 'nowrap' }}>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} flex="none" ref={value === tab ? showTab : undefined}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Content }) => (
          <Tabs.Panel key={value} value={value}>
            <Content patient={patient} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

/** Also where the row of tabs is wider than the window. */
const showTab = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

function Summary({ patient }: { readonly patient: Patient }) {
  const { timeZone } = useClinic()
  const { birthDate, gender, identifier, telecom, active } = patient
  const born = birthDate === undefined ? undefined : `born ${bornText(birthDate, clinicNow(), timeZone)}`
  const facts = [born, gender, identifier?.[0]?.value, telecomOf(telecom, 'phone')].filter(Boolean)
  return (
    <Group gap="xs">
      <span>{facts.join(' · ')}</span>
      {isPlaceholder(patient) && <Badge variant="default">Unknown caller</Badge>}
      {active === false && !isPlaceholder(patient) && <Badge variant="default">Inactive</Badge>}
    </Group>
  )
}
