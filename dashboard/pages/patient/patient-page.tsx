/** One patient: demographics, timeline, appointments, coverage, documents, history, and possible duplicates. */

import { Badge, Group, Tabs } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Patient } from 'fhir/r4'
import type { FunctionComponent } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { useGet } from '../../api/queries.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { patientName, telecomOf } from '../../fhir/names.ts'
import { bornText, isPlaceholder, replacedBy } from '../../fhir/patients.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LinkButton } from '../../parts/links.tsx'
import { NamedTabs } from '../../parts/named-tabs.tsx'
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

const TABS = {
  details: 'Details',
  timeline: 'Timeline',
  appointments: 'Appointments',
  coverage: 'Coverage',
  documents: 'Documents',
  duplicates: 'Duplicates',
  history: 'History',
  'who-looked': 'Who looked',
} as const

type TabName = keyof typeof TABS

const NAMES = Object.keys(TABS) as TabName[]

const CONTENTS: Readonly<Record<TabName, FunctionComponent<{ readonly patient: Patient }>>> = {
  details: Details,
  timeline: Timeline,
  appointments: Appointments,
  coverage: Coverages,
  documents: Documents,
  duplicates: Duplicates,
  history: History,
  'who-looked': WhoLooked,
}

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
  const [filters, setFilters] = useFilters({ tab: 'details' })
  const tab = NAMES.find((name) => name === filters.tab) ?? 'details'
  const Content = CONTENTS[tab]
  return (
    <>
      <PageHead
        title={patientName(patient)}
        description={<Summary patient={patient} />}
        actions={
          <>
            <CopyAsCurl request={{ path: `Patient/${patient.id}` }} />
            {replacedBy(patient) === undefined && (
              <LinkButton size="xs" to="/schedule" search={{ book: `Patient/${patient.id}` }}>
                Book a visit…
              </LinkButton>
            )}
          </>
        }
      />
      <Merges patient={patient} />
      <NamedTabs names={NAMES} labels={TABS} value={tab} onOpen={(tab) => setFilters({ tab })}>
        <Tabs.Panel value={tab}>
          <Content patient={patient} />
        </Tabs.Panel>
      </NamedTabs>
    </>
  )
}

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
