/** A patient who is being registered beside a record that may be of the same person. */
import { Anchor, Button, Group, Modal, Stack, Table } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import type { Candidate } from '../api/matches.ts'
import { addressText, nameOf, telecomsOf } from '../fhir/names.ts'
import { phoneText } from '../fhir/phones.ts'
import { dateText } from '../fhir/time.ts'
import { LikelihoodBadge } from './likelihood.tsx'
import { nestedDialog } from './nested-dialog.ts'
import { SideBySide } from './side-by-side.tsx'

interface ComparisonProps {
  readonly typed: Patient
  readonly candidate: Candidate
  readonly onClose: () => void
  readonly onUse: (patient: Patient) => void
}

const ROWS: readonly (readonly [label: string, text: (patient: Patient) => string])[] = [
  ['Name', ({ name }) => nameOf(name)],
  ['Born', ({ birthDate }) => dateText(birthDate)],
  ['Gender', ({ gender = '' }) => gender],
  ['Phone', (patient) => telecomsOf(patient, 'phone').map(phoneText).join(', ')],
  ['E-mail', (patient) => telecomsOf(patient, 'email').join(', ')],
  ['Address', ({ address }) => addressText(address?.[0])],
  ['Record number', ({ identifier = [] }) => identifier.flatMap(({ value }) => value ?? []).join(', ')],
]

export function Comparison({ typed, candidate, onClose, onUse }: ComparisonProps) {
  const { patient } = candidate
  return (
    <Modal opened onClose={onClose} title="Compare" size="lg" {...nestedDialog(onClose)}>
      <Stack>
        <LikelihoodBadge {...candidate} />
        <SideBySide heads={['The new patient', 'The record that is here']}>
          {ROWS.map(([label, text]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row">{label}</Table.Th>
              {[typed, patient].map((one, side) => (
                <Table.Td key={side === 0 ? 'typed' : 'record'}>
                  <bdi>{text(one) || '–'}</bdi>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </SideBySide>
        <Group justify="flex-end">
          <Anchor size="sm" href={`patients/${patient.id}`} target="_blank" mr="auto">
            Open the record in a new window
          </Anchor>
          <Button variant="default" onClick={onClose}>
            Back to the form
          </Button>
          <Button onClick={() => onUse(patient)}>Use this record</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
