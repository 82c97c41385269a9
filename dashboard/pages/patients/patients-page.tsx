/** The patients of the clinic, searched as you type; unknown callers and likely duplicates have tabs of their own. */
import { Button, CloseButton, Group, Loader, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Patient } from 'fhir/r4'
import { type ReactNode, useEffect, useState } from 'react'
import { searchPath, usePages } from '../../api/queries.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { piecesOf } from '../../fhir/patient-criteria.ts'
import { reasonsFor } from '../../fhir/patient-reasons.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Icon } from '../../parts/icon.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { NewPatientDialog } from '../../parts/new-patient.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { useDateReading } from '../../parts/use-date-reading.ts'
import { useGo } from '../../parts/use-go.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { DuplicatePairs } from './duplicate-pairs.tsx'
import { listParameters } from './list-parameters.ts'
import { PatientRow } from './patient-row.tsx'

const TABS = [
  { value: 'patients', label: 'Patients' },
  { value: 'placeholders', label: 'Unknown callers' },
  { value: 'duplicates', label: 'Duplicates' },
]

const SHOWN = ['Patient']

export function PatientsPage() {
  const [filters, setFilters] = useFilters({ q: '', tab: 'patients', run: '', dialog: '' })
  const { q, tab, run, dialog } = filters
  const go = useGo()
  const tabs = (
    <SegmentedControl
      aria-label="Which records"
      data={TABS}
      value={tab}
      onChange={(value) => setFilters({ tab: value, run: '' })}
    />
  )
  if (tab !== 'duplicates')
    return (
      <>
        <PatientList
          q={q}
          tab={tab}
          tabs={tabs}
          onSearch={(text) => setFilters({ q: text }, { replace: true })}
          onNew={(text) => setFilters({ q: text, dialog: 'new' })}
        />
        {dialog === 'new' && (
          <NewPatientDialog
            typed={q}
            onClose={() => setFilters({ dialog: '' }, { replace: true })}
            onCreated={({ id }) => go(`/patients/${id}`)}
          />
        )}
      </>
    )
  return (
    <>
      <PageHead title="Patients" description="Records that are likely to be of one person" />
      <Group mb="sm">{tabs}</Group>
      <DuplicatePairs run={run} onRun={(next) => setFilters({ run: next }, { replace: true })} />
    </>
  )
}

interface PatientListProps {
  readonly q: string
  readonly tab: string
  readonly tabs: ReactNode
  readonly onSearch: (q: string) => void
  /** Receives what is typed. */
  readonly onNew: (q: string) => void
}

function PatientList({ q, tab, tabs, onSearch, onNew }: PatientListProps) {
  const { id } = useClinic()
  useFresh(id, SHOWN)
  const [typed, setTyped] = useState(q)
  const [settled] = useDebouncedValue(typed, 120)
  // The filters are not a dependency: only typing changes the address here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function each time
  useEffect(() => {
    if (settled !== q) onSearch(settled)
  }, [settled])
  const pieces = piecesOf(settled, useDateReading())
  const parameters = listParameters(pieces, tab)
  const query = usePages<Patient>('Patient', parameters, { keepsPrevious: true })
  const { resources: patients, total, isFetching } = query
  return (
    <>
      <PageHead
        title="Patients"
        description={total === undefined ? '\u00a0' : countText(total, tab)}
        actions={
          <>
            <CopyAsCurl request={{ path: searchPath('Patient', parameters) }} />
            <Button size="xs" onClick={() => onNew(typed)}>
              New patient
            </Button>
          </>
        }
      />
      <Group mb="sm" gap="sm">
        <TextInput
          aria-label="Name, birth date, phone or record number"
          placeholder="Name, birth date, phone or record number"
          leftSection={isFetching ? <Loader size={16} /> : <Icon name="search" size={16} />}
          rightSection={typed === '' ? null : <CloseButton size="sm" aria-label="Clear" onClick={() => setTyped('')} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          flex="1 1 260px"
          maw={480}
        />
        {tabs}
      </Group>
      <Loaded query={{ ...query, data: patients }} rows={12}>
        {(found) =>
          found.length === 0 ? (
            <NoPatients isSearch={settled !== ''} tab={tab} />
          ) : (
            <div className="card">
              <VirtualList
                items={found}
                label="Patients"
                keyOf={({ id }) => id ?? ''}
                height="calc(100dvh - 190px)"
                hasMore={query.hasNextPage && !query.isFetchingNextPage}
                onEnd={query.fetchNextPage}
              >
                {(patient) => <PatientRow patient={patient} reasons={reasonsFor(patient, pieces)} />}
              </VirtualList>
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function countText(total: number, tab: string): string {
  const one = tab === 'placeholders' ? 'unknown caller' : 'patient'
  const many = tab === 'placeholders' ? 'unknown callers' : 'patients'
  return `${total.toLocaleString('en')} ${total === 1 ? one : many}`
}

function NoPatients({ isSearch, tab }: { readonly isSearch: boolean; readonly tab: string }) {
  if (isSearch) {
    return (
      <Empty icon="search" title="No patients found">
        Names are found by their beginnings (“abe ru” finds Ruth Abernathy), phones also by their last four digits or
        more, birth dates and record numbers as they are written.
      </Empty>
    )
  }
  if (tab === 'placeholders') {
    return (
      <Empty icon="call" title="No unknown callers" action={<LinkButton to="/patients">All patients</LinkButton>}>
        A call whose patient is not known yet keeps its data in a record of its own until the registration is complete.
      </Empty>
    )
  }
  return (
    <Empty icon="patients" title="This clinic has no patients yet">
      <Text span inherit>
        “New patient” registers one, and so do a call and POST /Patient.
      </Text>
    </Empty>
  )
}
