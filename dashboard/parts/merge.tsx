/** Two records side by side: common values are kept, conflicting ones are chosen; the merge can be undone. */
import { Alert, Button, Group, Modal, Radio, Stack, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import { useState } from 'react'
import { mergePatients, type Pair, takeMergeBack, usePreview } from '../api/merges.ts'
import { addressText, conceptText, contactText, nameOf } from '../fhir/names.ts'
import { dateText } from '../fhir/time.ts'
import { ErrorView } from './page-states.tsx'
import { SideBySide } from './side-by-side.tsx'
import { offerUndo } from './undo.tsx'

interface MergeProps extends Pair {
  readonly onClose: () => void
}

type Side = 'target' | 'source'

interface Row {
  readonly label: string
  readonly text: (patient: Patient) => string
}

/** A person has one of each, so one of two values is chosen. */
const CHOICES: readonly (Row & { readonly elements: readonly (keyof Patient)[] })[] = [
  { label: 'Name', elements: ['name'], text: ({ name }) => nameOf(name) },
  { label: 'Born', elements: ['birthDate', '_birthDate'], text: ({ birthDate }) => dateText(birthDate) },
  {
    label: 'Died',
    elements: ['deceasedBoolean', '_deceasedBoolean', 'deceasedDateTime', '_deceasedDateTime'],
    text: ({ deceasedBoolean, deceasedDateTime }) =>
      deceasedBoolean === undefined ? dateText(deceasedDateTime?.slice(0, 10)) : deceasedBoolean ? 'yes' : 'no',
  },
  { label: 'Gender', elements: ['gender', '_gender'], text: ({ gender }) => gender ?? '' },
  { label: 'Marital status', elements: ['maritalStatus'], text: ({ maritalStatus }) => conceptText(maritalStatus) },
  {
    label: 'Languages',
    elements: ['communication'],
    text: ({ communication = [] }) => communication.map(({ language }) => conceptText(language)).join(', '),
  },
]

/** A person may have several, so all are kept, as the server puts them together. */
const UNITED: readonly Row[] = [
  { label: 'Phone and e-mail', text: ({ telecom = [] }) => joined(telecom.map(contactText)) },
  { label: 'Address', text: ({ address = [] }) => address.map(addressText).filter(Boolean).join(' · ') },
  { label: 'Record numbers', text: ({ identifier = [] }) => joined(identifier.map(({ value }) => value)) },
]

const joined = (values: readonly (string | undefined)[]): string => values.filter(Boolean).join(', ')

export function Merge({ onClose, ...given }: MergeProps) {
  const [pair, setPair] = useState<Pair>(given)
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({})
  const swap = () => {
    setPair({ target: pair.source, source: pair.target })
    setSides({})
  }
  const { isBusy, problem, merge } = useMerge(pair, sides, onClose)
  const { target, source } = pair
  return (
    <Modal opened onClose={onClose} title="Merge two records" size="xl">
      <Stack>
        <Text size="sm">
          All that refers to the record on the right will refer to the one on the left. Phones, e-mails, addresses and
          record numbers of both are kept; of the rest choose what the merged record says.
        </Text>
        <SideBySide heads={['This record stays', 'This record is replaced']}>
          {CHOICES.filter(({ text }) => text(target) !== '' || text(source) !== '').map(({ label, text }) => (
            <ChoiceRow
              key={label}
              name={label}
              texts={{ target: text(target), source: text(source) }}
              side={sides[label] ?? 'target'}
              onChange={(side) => setSides({ ...sides, [label]: side })}
            />
          ))}
          <UnitedRows pair={pair} />
        </SideBySide>
        {problem !== undefined && <ErrorView error={problem} />}
        <Alert variant="light" color="gray" p="xs">
          Nothing is deleted: the replaced record stays readable, and both records offer to take the merge back.
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

function useMerge(pair: Pair, sides: Readonly<Record<string, Side>>, onClose: () => void) {
  const client = useQueryClient()
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const merge = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const replaced = await mergePatients(pair, chosenFrom(pair, sides))
      await client.invalidateQueries()
      onClose()
      offerUndo('The records are merged.', {
        things: [pair.source, pair.target].map(({ id }) => `Patient/${id}`),
        undo: () => takeMergeBack(replaced).finally(() => client.invalidateQueries()),
      })
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, merge }
}

/** The elements of the source that were chosen, or that the target does not have. */
function chosenFrom({ target, source }: Pair, sides: Readonly<Record<string, Side>>): Partial<Patient> {
  const rows = CHOICES.filter(({ label, text }) =>
    text(target) === '' ? text(source) !== '' : text(source) !== '' && sides[label] === 'source',
  )
  return Object.fromEntries(rows.flatMap(({ elements }) => elements.map((name) => [name, source[name]])))
}

interface ChoiceRowProps {
  readonly name: string
  readonly texts: Readonly<Record<Side, string>>
  readonly side: Side
  readonly onChange: (side: Side) => void
}

function ChoiceRow({ name, texts, side, onChange }: ChoiceRowProps) {
  const excludes = texts.target !== '' && texts.source !== '' && texts.target !== texts.source
  const cell = (one: Side) => {
    if (texts[one] === '') return <Text size="sm">–</Text>
    if (!excludes) return <bdi>{texts[one]}</bdi>
    return <Radio name={name} label={<bdi>{texts[one]}</bdi>} checked={side === one} onChange={() => onChange(one)} />
  }
  return (
    <Table.Tr>
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td>{cell('target')}</Table.Td>
      <Table.Td>{cell('source')}</Table.Td>
    </Table.Tr>
  )
}

function UnitedRows({ pair }: { readonly pair: Pair }) {
  const { data: result, error } = usePreview(pair)
  if (error !== null) {
    return (
      <Table.Tr>
        <Table.Td colSpan={3}>
          <ErrorView error={error} />
        </Table.Td>
      </Table.Tr>
    )
  }
  return UNITED.map(({ label, text }) => (
    <Table.Tr key={label}>
      <Table.Th scope="row">{label}</Table.Th>
      <Table.Td colSpan={2}>
        <bdi>{result === undefined ? '…' : text(result) || '–'}</bdi>
      </Table.Td>
    </Table.Tr>
  ))
}
