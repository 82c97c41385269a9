/** Two records side by side: what the merged one takes from each, and the merge, which can be undone. */
import { Alert, Button, Group, Modal, Radio, Stack, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { Parameters as FhirParameters, Patient } from 'fhir/r4'
import { useState } from 'react'
import { get, send } from '../api/client.ts'
import { addressText, nameOf, telecomOf } from '../fhir/names.ts'
import { dateText } from '../fhir/time.ts'
import { ErrorView } from './page-states.tsx'
import { offerUndo } from './undo.tsx'

interface Merging {
  /** Who remains. */
  readonly target: Patient
  /** Who is merged into it. */
  readonly source: Patient
}

interface MergeProps extends Merging {
  readonly onClose: () => void
}

const ELEMENTS = ['name', 'birthDate', 'gender', 'telecom', 'address'] as const
type ElementName = (typeof ELEMENTS)[number]
type Side = 'target' | 'source'

const LABELS: Readonly<Record<ElementName, string>> = {
  name: 'Name',
  birthDate: 'Born',
  gender: 'Gender',
  telecom: 'Phone and e-mail',
  address: 'Address',
}

const TEXTS: Readonly<Record<ElementName, (patient: Patient) => string>> = {
  name: ({ name }) => nameOf(name),
  birthDate: ({ birthDate }) => dateText(birthDate),
  gender: ({ gender }) => gender ?? '',
  telecom: ({ telecom }) => [telecomOf(telecom, 'phone'), telecomOf(telecom, 'email')].filter(Boolean).join(', '),
  address: ({ address }) => addressText(address?.[0]),
}

export function Merge({ onClose, ...given }: MergeProps) {
  const [{ target, source }, setMerging] = useState<Merging>(given)
  const [sides, setSides] = useState<Readonly<Partial<Record<ElementName, Side>>>>({})
  const swap = () => {
    setMerging({ target: source, source: target })
    setSides({})
  }
  const client = useQueryClient()
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const merge = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await mergePatients(target, source, sides)
      await client.invalidateQueries()
      onClose()
      offerUndo('The records are merged.', () => unmerge(source).then(() => client.invalidateQueries()))
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal opened onClose={onClose} title="Merge two records" size="xl">
      <Stack>
        <Text size="sm">
          All that refers to the record on the right will refer to the one on the left. Choose what the merged record
          says.
        </Text>
        <Table layout="fixed" horizontalSpacing={6} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Td w={88} />
              <Table.Th>This record stays</Table.Th>
              <Table.Th>This record is replaced</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ELEMENTS.map((name) => (
              <Row
                key={name}
                name={name}
                texts={{ target: TEXTS[name](target), source: TEXTS[name](source) }}
                side={sides[name] ?? defaultSide(target, name)}
                onChange={(side) => setSides({ ...sides, [name]: side })}
              />
            ))}
          </Table.Tbody>
        </Table>
        {problem !== undefined && <ErrorView error={problem} />}
        <Alert variant="light" color="gray" p="xs">
          Nothing is deleted: the replaced record stays readable, and the merge can be undone.
        </Alert>
        <Group justify="flex-end">
          <Button variant="default" mr="auto" onClick={swap}>
            Keep the other one
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isBusy} onClick={merge}>
            Merge
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface RowProps {
  readonly name: ElementName
  readonly texts: Readonly<Record<Side, string>>
  readonly side: Side
  readonly onChange: (side: Side) => void
}

function Row({ name, texts, side, onChange }: RowProps) {
  const differs = texts.target !== texts.source
  const cell = (one: Side) => {
    if (texts[one] === '') return <Text size="sm">–</Text>
    if (!differs) return <bdi>{texts[one]}</bdi>
    return <Radio name={name} label={<bdi>{texts[one]}</bdi>} checked={side === one} onChange={() => onChange(one)} />
  }
  return (
    <Table.Tr>
      <Table.Th scope="row">{LABELS[name]}</Table.Th>
      <Table.Td>{cell('target')}</Table.Td>
      <Table.Td>{cell('source')}</Table.Td>
    </Table.Tr>
  )
}

/** What the record that stays does not know, it takes from the other one. */
const defaultSide = (target: Patient, name: ElementName): Side => (TEXTS[name](target) === '' ? 'source' : 'target')

/** @throws Problem */
async function mergePatients(
  target: Patient,
  source: Patient,
  sides: Readonly<Partial<Record<ElementName, Side>>>,
): Promise<void> {
  const taken = ELEMENTS.filter(
    (name) => (sides[name] ?? defaultSide(target, name)) === 'source' && source[name] !== undefined,
  )
  const parameter = [
    { name: 'source-patient', valueReference: { reference: `Patient/${source.id}` } },
    { name: 'target-patient', valueReference: { reference: `Patient/${target.id}` } },
  ]
  if (taken.length === 0) {
    await operate('$merge', parameter)
    return
  }
  // As the merge itself would make it, with what was chosen.
  const preview = await operate('$merge', [...parameter, { name: 'preview', valueBoolean: true }])
  const result = preview.parameter?.find(({ name }) => name === 'result')?.resource as Patient
  const chosen = Object.fromEntries(taken.map((name) => [name, source[name]]))
  const { versionId } = (await get<Patient>(`Patient/${target.id}`)).meta ?? {}
  const resource = { ...result, ...chosen, meta: { ...result.meta, versionId } }
  await operate('$merge', [...parameter, { name: 'result-patient', resource }])
}

const unmerge = (source: Patient) =>
  operate('$unmerge', [{ name: 'source-patient', valueReference: { reference: `Patient/${source.id}` } }]).then(
    () => undefined,
    (error: Error) => notifications.show({ color: 'red', message: error.message }),
  )

async function operate(name: string, parameter: readonly object[]): Promise<FhirParameters> {
  const body = { resourceType: 'Parameters', parameter }
  return (await send<FhirParameters>({ method: 'POST', path: `Patient/${name}`, body })).body
}
