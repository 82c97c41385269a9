/** Changes what is known of a person. Where somebody else was faster both versions are shown, and nothing is lost. */
import { Alert, Button, Group, Modal, NativeSelect, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import { type FormEvent, useState } from 'react'
import { get, send } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { fieldOf, fieldsOf, type PatientFields, patchFor } from './patient-form.ts'

interface EditProps {
  readonly patient: Patient
  readonly onClose: () => void
}

const LABELS: Readonly<Record<keyof PatientFields, string>> = {
  given: 'Given names',
  family: 'Family name',
  birthDate: 'Date of birth',
  gender: 'Gender',
  phone: 'Phone',
  email: 'E-mail',
  line: 'Street',
  city: 'City',
  state: 'State',
  postalCode: 'Postal code',
}
const HINTS: Readonly<Partial<Record<keyof PatientFields, string>>> = { birthDate: '1980-03-24' }
const NAMES = Object.keys(LABELS) as readonly (keyof PatientFields)[]

export function EditPatient({ patient, onClose }: EditProps) {
  const [base, setBase] = useState(patient)
  const [fields, setFields] = useState(() => fieldsOf(patient))
  const { save, isBusy, problem, theirs, takeTheirs } = useSave(base, setBase, fields, setFields, onClose)
  const errors = errorsByField(problem)
  return (
    <Modal opened onClose={onClose} title="Edit demographics" size="lg" closeOnClickOutside={false}>
      <form onSubmit={save}>
        <Stack>
          {theirs !== undefined && <Conflict base={base} mine={fields} theirs={theirs} onTake={takeTheirs} />}
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {NAMES.map((name) => (
              <Field key={name} name={name} fields={fields} error={errors.get(name)} onChange={setFields} />
            ))}
          </SimpleGrid>
          {problem !== undefined && errors.size === 0 && (
            <Alert color="red" variant="light" role="alert">
              {problem.message}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {theirs === undefined ? 'Save' : 'Save my changes'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Saves on the version that the form began with; where that is not the current one any more, nothing is written. */
function useSave(
  base: Patient,
  setBase: (patient: Patient) => void,
  fields: PatientFields,
  setFields: (fields: PatientFields) => void,
  onClose: () => void,
) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [theirs, setTheirs] = useState<Patient>()
  const path = `Patient/${base.id}`
  const attempt = async (): Promise<void> => {
    // Whoever has seen what somebody else wrote changes that version.
    const ground = theirs ?? base
    const patch = patchFor(ground, theirs === undefined ? fields : onlyMine(base, fields, theirs))
    const headers = { 'content-type': 'application/json-patch+json', 'if-match': `W/"${ground.meta?.versionId}"` }
    try {
      if (patch.length > 0) await send({ method: 'PATCH', path, body: JSON.stringify(patch), headers })
      await client.invalidateQueries({ queryKey: ['Patient'] })
      notifications.show({ message: 'The changes are saved.' })
      onClose()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.status === 412 || error.status === 409) setTheirs(await get<Patient>(path))
      else setProblem(error)
    }
  }
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    await attempt().finally(() => setBusy(false))
  }
  const takeTheirs = (): void => {
    if (theirs === undefined) return
    setBase(theirs)
    setFields(fieldsOf(theirs))
    setTheirs(undefined)
  }
  return { save, isBusy, problem, theirs, takeTheirs }
}

/** What I have changed, over what they have. */
function onlyMine(base: Patient, mine: PatientFields, theirs: Patient): PatientFields {
  const before = fieldsOf(base)
  const changes = NAMES.filter((name) => mine[name] !== before[name]).map((name) => [name, mine[name]])
  return { ...fieldsOf(theirs), ...Object.fromEntries(changes) }
}

interface FieldProps {
  readonly name: keyof PatientFields
  readonly fields: PatientFields
  readonly error: string | undefined
  readonly onChange: (fields: PatientFields) => void
}

function Field({ name, fields, error, onChange }: FieldProps) {
  const common = {
    label: LABELS[name],
    value: fields[name],
    error,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...fields, [name]: currentTarget.value }),
  }
  return name === 'gender' ? (
    <NativeSelect {...common} data={['', 'female', 'male', 'other', 'unknown']} />
  ) : (
    <TextInput {...common} placeholder={HINTS[name]} autoComplete="off" dir="auto" />
  )
}

interface ConflictProps {
  readonly base: Patient
  readonly mine: PatientFields
  readonly theirs: Patient
  readonly onTake: () => void
}

function Conflict({ base, mine, theirs, onTake }: ConflictProps) {
  const [before, other] = [fieldsOf(base), fieldsOf(theirs)]
  const rows = NAMES.filter((name) => mine[name] !== before[name] || other[name] !== before[name])
  return (
    <Alert color="yellow" variant="light" role="alert" title="Somebody else has changed this record meanwhile">
      <Table withRowBorders={false} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th />
            <Table.Th>Yours</Table.Th>
            <Table.Th>Now stored</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((name) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{LABELS[name]}</Table.Th>
              <Table.Td>{mine[name]}</Table.Td>
              <Table.Td>{other[name]}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" my="xs">
        Saving writes what you have changed over what is stored now, and leaves the rest as it is.
      </Text>
      <Button size="xs" variant="default" onClick={onTake}>
        Take what is stored
      </Button>
    </Alert>
  )
}

function errorsByField(problem: Problem | undefined): ReadonlyMap<keyof PatientFields, string> {
  const found = (problem?.issues ?? []).flatMap(({ expression, text }) => {
    const field = fieldOf(expression ?? '')
    return field === undefined ? [] : [[field, text] as const]
  })
  return new Map(found)
}
