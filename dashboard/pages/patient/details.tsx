/** The demographics of the patient, and the progress of a registration by phone. */
import { Button, Group, Progress, SimpleGrid, Table, Text } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import { useState } from 'react'
import { addressText, conceptText, contactText, humanNameText, referenceText } from '../../fhir/names.ts'
import { isPlaceholder, registrationOf, replacedBy } from '../../fhir/patients.ts'
import { dateText } from '../../fhir/time.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EditPatient } from './edit-patient.tsx'

export function Details({ patient }: { readonly patient: Patient }) {
  const [isEditing, setEditing] = useState(false)
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Panel
        title="Demographics"
        aside={
          // The record that has replaced it is edited instead.
          replacedBy(patient) === undefined && (
            <Button size="xs" variant="default" onClick={() => setEditing(true)}>
              Edit
            </Button>
          )
        }
      >
        <Facts facts={demographicsOf(patient)} />
      </Panel>
      <Registration patient={patient} />
      {isEditing && <EditPatient patient={patient} onClose={() => setEditing(false)} />}
    </SimpleGrid>
  )
}

function demographicsOf(patient: Patient): readonly Fact[] {
  const { name = [], birthDate, gender, telecom = [], address = [], identifier = [] } = patient
  const { communication = [], maritalStatus, generalPractitioner = [], deceasedBoolean, deceasedDateTime } = patient
  const facts: readonly (readonly [string, string])[] = [
    ...name.map((one) => [one.use === 'official' ? 'Name' : labelOf('name', one.use), humanNameText(one)] as const),
    ['Born', dateText(birthDate)],
    ['Died', deceasedBoolean ? 'yes' : dateText(deceasedDateTime?.slice(0, 10))],
    ['Gender', gender ?? ''],
    ...telecom.map((one) => [labelOf(systemText(one.system), one.use), contactText(one)] as const),
    ...address.map((one) => [labelOf('address', one.use), addressText(one)] as const),
    ['Languages', communication.map(({ language }) => conceptText(language)).join(', ')],
    ['Marital status', conceptText(maritalStatus)],
    ['Doctor', generalPractitioner.map(referenceText).join(', ')],
    ...identifier.map(({ type, value = '' }) => [conceptText(type) || 'Identifier', value] as const),
  ]
  return facts.map(([label, value]) => [label, value && <bdi key={label}>{value}</bdi>])
}

const systemText = (system: string | undefined): string => (system === 'email' ? 'e-mail' : (system ?? 'contact'))

const labelOf = (kind: string, use: string | undefined): string =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${use === undefined ? '' : ` (${use})`}`

function Registration({ patient }: { readonly patient: Patient }) {
  const fields = registrationOf(patient)
  const known = fields.filter(({ value }) => value !== '')
  const missing = fields.filter(({ value, isRequired }) => isRequired && value === '')
  const share = Math.round((100 * known.length) / fields.length)
  return (
    <Panel title="Registration">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {known.length} of {fields.length} are known
        </Text>
        <Text size="sm" c="dimmed">
          {isPlaceholder(patient)
            ? 'under way by phone'
            : missing.length === 0
              ? 'nothing needed is missing'
              : `${missing.length} still needed`}
        </Text>
      </Group>
      <Progress value={share} my="xs" aria-label="What is known" />
      <Table layout="fixed" withRowBorders={false} verticalSpacing={4} horizontalSpacing={0}>
        <Table.Tbody>
          {fields.map(({ label, value, isRequired }) => (
            <Table.Tr key={label}>
              <Table.Th w={170} fw={400} c="dimmed" scope="row" style={{ verticalAlign: 'top' }}>
                <Group gap={6} wrap="nowrap">
                  <Icon name={value === '' ? 'more' : 'check'} size={14} />
                  {label}
                </Group>
              </Table.Th>
              <Table.Td>{value === '' ? <Missing isRequired={isRequired} /> : <bdi>{value}</bdi>}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  )
}

const Missing = ({ isRequired }: { readonly isRequired: boolean }) => (
  <Text span inherit c="dimmed">
    {isRequired ? 'still needed' : 'not said'}
  </Text>
)
