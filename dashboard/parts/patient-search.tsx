/** Choosing a patient, searched as you type. */
import { Group, Loader, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Patient } from 'fhir/r4'
import { useState } from 'react'
import { isCurrent, useSearch } from '../api/queries.ts'
import { matchesIn } from '../fhir/bundles.ts'
import { patientName, telecomOf } from '../fhir/names.ts'
import { criteriaOf, type Piece, piecesOf } from '../fhir/patient-criteria.ts'
import { reasonsFor, SEARCHED } from '../fhir/patient-reasons.ts'
import { PLACEHOLDER } from '../fhir/patients.ts'
import { dateText } from '../fhir/time.ts'
import { Combobox } from './combobox.tsx'
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
  /** Undefined: the name of the patient who is chosen stands there. */
  const [typed, setTyped] = useState<string>()
  /** Text that was typed when a new patient was asked for. */
  const [registering, setRegistering] = useState<string>()
  const [settled] = useDebouncedValue(typed ?? '', 120)
  const isChosen = value !== undefined && typed === undefined
  const pieces = piecesOf(settled, useDateReading())
  const query = useSearch('Patient', parametersFor(isChosen ? [] : pieces), { keepsPrevious: true })
  const found = query.data === undefined ? [] : matchesIn<Patient>(query.data)
  const all = !isChosen || found.some(({ id }) => id === value.id) ? found : [value, ...found]
  const isSettled = settled === (typed ?? '') && isCurrent(query)
  const isNobody = settled !== '' && all.length === 0 && isSettled
  const take = (patient: Patient | undefined) => {
    onChange(patient)
    setTyped(undefined)
  }
  return (
    <>
      <Combobox
        label={label}
        placeholder="Name, birth date, phone or record number"
        required
        // Opened with somebody chosen, a dialog begins elsewhere.
        isFirst={value === undefined}
        error={error}
        options={[
          ...all.map((patient) => ({
            key: patient.id ?? '',
            text: patientName(patient),
            content: <Choice patient={patient} pieces={pieces} />,
          })),
          { key: NEW, text: isNobody ? 'No patients found. New patient …' : 'New patient …' },
        ]}
        text={typed ?? (value === undefined ? '' : patientName(value))}
        onText={(text) => {
          // A text that is changed names nobody, so that nobody is booked but who stands there.
          if (value !== undefined) onChange(undefined)
          setTyped(text)
        }}
        onChoose={(id) => (id === NEW ? setRegistering(typed ?? '') : take(all.find((patient) => patient.id === id)))}
        rightSection={query.isFetching ? <Loader size={14} /> : undefined}
      />
      {registering !== undefined && (
        <NewPatientDialog
          typed={registering}
          onClose={() => setRegistering(undefined)}
          onCreated={(patient) => {
            take(patient)
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
  readonly patient: Patient
  readonly pieces: readonly Piece[]
}

const Choice = ({ patient, pieces }: ChoiceProps) => (
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
