/** Choosing a patient, searched as you type. */
import { Group, Loader, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Patient } from 'fhir/r4'
import { useState } from 'react'
import { useSearch } from '../api/queries.ts'
import { matchesIn } from '../fhir/bundles.ts'
import { patientName, telecomOf } from '../fhir/names.ts'
import { criteriaOf, type Piece, piecesOf } from '../fhir/patient-criteria.ts'
import { reasonsFor, SEARCHED } from '../fhir/patient-reasons.ts'
import { PLACEHOLDER } from '../fhir/patients.ts'
import { dateText } from '../fhir/time.ts'
import { Reasons } from './found-patient.tsx'
import { NewPatientDialog } from './new-patient.tsx'
import { useDateReading } from './use-date-reading.ts'

interface PatientSearchProps {
  readonly label: string
  readonly value: Patient | undefined
  readonly onChange: (patient: Patient | undefined) => void
  readonly error?: string | undefined
}

export function PatientSearch({ label, value, onChange, error }: PatientSearchProps) {
  const [typed, setTyped] = useState('')
  /** Text that was typed when a new patient was asked for. */
  const [registering, setRegistering] = useState<string>()
  const [settled] = useDebouncedValue(typed, 120)
  const isChosen = value !== undefined && typed === patientName(value)
  const pieces = piecesOf(settled, useDateReading())
  const query = useSearch('Patient', parametersFor(isChosen ? [] : pieces), { keepsPrevious: true })
  const found = query.data === undefined ? [] : matchesIn<Patient>(query.data)
  const all = value === undefined || found.some(({ id }) => id === value.id) ? found : [value, ...found]
  const isNobody = typed !== '' && all.length === 0 && !query.isFetching
  const choose = (id: string | null) =>
    id === NEW ? setRegistering(typed) : onChange(all.find((patient) => patient.id === id))
  return (
    <>
      <Select
        label={label}
        placeholder="Name, birth date, phone or record number"
        searchable
        required
        clearable
        // The focus alone, as after a dialog, lays no list over the buttons below.
        openOnFocus={false}
        // Opened with somebody chosen, the list stays closed.
        data-autofocus={value === undefined ? true : undefined}
        error={error}
        data={[
          ...all.map((patient) => ({ value: patient.id ?? '', label: patientName(patient) })),
          { value: NEW, label: isNobody ? 'No patients found. New patient …' : 'New patient …' },
        ]}
        // The server has chosen already.
        filter={({ options }) => options}
        value={value?.id ?? null}
        onChange={choose}
        searchValue={typed}
        onSearchChange={setTyped}
        rightSection={query.isFetching ? <Loader size={14} /> : undefined}
        maxDropdownHeight={260}
        comboboxProps={{ withinPortal: true }}
        renderOption={({ option: { value: id, label: text } }) =>
          id === NEW ? (
            <Text size="sm">{text}</Text>
          ) : (
            <Choice patient={all.find((patient) => patient.id === id)} pieces={pieces} />
          )
        }
      />
      {registering !== undefined && (
        <NewPatientDialog
          typed={isChosen ? '' : registering}
          onClose={() => {
            // The field has lost it with the focus.
            setTyped(registering)
            setRegistering(undefined)
          }}
          onCreated={(patient) => {
            onChange(patient)
            setRegistering(undefined)
          }}
        />
      )}
    </>
  )
}

/** The choice of a patient who is not there yet; no id of a resource is empty. */
const NEW = ''

const parametersFor = (pieces: readonly Piece[]) =>
  [
    ...criteriaOf(pieces),
    ['_tag:not', PLACEHOLDER],
    ['_sort', 'family,given'],
    ['_count', '20'],
    ['_elements', SEARCHED],
  ] as const

interface ChoiceProps {
  readonly patient: Patient | undefined
  readonly pieces: readonly Piece[]
}

function Choice({ patient, pieces }: ChoiceProps) {
  if (patient === undefined) return null
  return (
    <Group justify="space-between" wrap="nowrap" w="100%" gap="sm">
      <Text size="sm" className="cut">
        <bdi>{patientName(patient)}</bdi>
        <Reasons text={reasonsFor(patient, pieces)} />
      </Text>
      <Text size="xs" c="dimmed" className="number" flex="none">
        {[dateText(patient.birthDate), telecomOf(patient.telecom, 'phone')].filter(Boolean).join(' · ')}
      </Text>
    </Group>
  )
}
