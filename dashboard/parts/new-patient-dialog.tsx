/** Registers a patient at the front desk, and shows those who may be the same person while the form is filled in. */
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import { type FormEvent, useState } from 'react'
import { type Candidate, matchesOf, useMatches } from '../api/matches.ts'
import { createWithId, newId } from '../api/operations.ts'
import { removePatient } from '../api/patients.ts'
import { issuesOf, type Wrong } from '../api/problem.ts'
import { patientName } from '../fhir/names.ts'
import { piecesOf } from '../fhir/patient-criteria.ts'
import { dateText } from '../fhir/time.ts'
import { type DateReading, dateIn } from '../fhir/typed-date.ts'
import { Comparison } from './comparison.tsx'
import { LikelihoodBadge } from './likelihood.tsx'
import { nestedDialog } from './nested-dialog.ts'
import { normalFields, PatientFieldset, problemsOfNoField } from './patient-fields.tsx'
import { fieldsOf, type PatientFields, withFields } from './patient-form.ts'
import { NotSaved } from './save-bar.tsx'
import { offerUndo } from './undo.tsx'
import { useUnsaved } from './unsaved.tsx'
import { useDateReading } from './use-date-reading.ts'

export interface NewPatientProps {
  /** Text of the search that found nobody. */
  readonly typed: string
  readonly onClose: () => void
  /** Receives the new patient, or an existing record that was chosen in its place, and takes the dialog away. */
  readonly onCreated: (patient: Patient) => void
}

const EMPTY: Patient = { resourceType: 'Patient' }
const NO_FIELDS = fieldsOf(EMPTY)

export function NewPatientForm(props: NewPatientProps) {
  const { onClose, onCreated } = props
  const form = useNewPatient(props)
  const { close, question, release } = useUnsaved(form.isChanged && !form.isBusy, { onClose })
  const [compared, setCompared] = useState<Candidate>()
  const take = (patient: Patient) => {
    release()
    onCreated(patient)
  }
  return (
    <Modal opened onClose={close} title="New patient" size="lg" closeOnClickOutside={false} {...nestedDialog(close)}>
      <form onSubmit={form.submit}>
        <Stack>
          <PatientFieldset value={form.fields} problems={form.problems} onChange={form.change} />
          <MayBeTheSame
            fields={form.fields}
            isCertain={form.certain !== undefined}
            onCompare={setCompared}
            onUse={take}
          />
          <NotSaved problems={problemsOfNoField(form.problems)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={form.isBusy}>
              {form.certain === undefined ? 'Create' : 'Create a second record'}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
      {compared !== undefined && (
        <Comparison
          typed={asPatient(form.fields, form.reading)}
          candidate={compared}
          onClose={() => setCompared(undefined)}
          onUse={take}
        />
      )}
    </Modal>
  )
}

/** Probability from which a match asks before a second record is made, beside those that are certain. */
const ASKS_FROM = 0.9

function useNewPatient({ typed, onCreated }: NewPatientProps) {
  const client = useQueryClient()
  const reading = useDateReading()
  const [id] = useState(newId)
  const [first] = useState(() => fieldsFrom(typed, reading))
  const [fields, setFields] = useState(first)
  const [problems, setProblems] = useState<readonly Wrong[]>([])
  /** A record of the same person: creating another one is asked for again. */
  const [certain, setCertain] = useState<Candidate>()
  const [isBusy, setBusy] = useState(false)
  const change = (next: PatientFields) => {
    setFields(next)
    setCertain(undefined)
  }
  const create = async (): Promise<void> => {
    const patient = withFields(EMPTY, await normalFields(fields, NO_FIELDS, reading))
    if (patient.name === undefined) throw new Error('Write a name: given names, the family name, or both.')
    const found = certain === undefined ? await sameAs({ ...patient, id }) : undefined
    setCertain(found)
    if (found !== undefined) return
    const created = await createWithId({ ...patient, id })
    await client.invalidateQueries({ queryKey: ['Patient'] })
    onCreated(created)
    offerUndo(`${patientName(created)} is registered.`, {
      things: [`Patient/${id}`],
      undo: () => removePatient(created).finally(() => client.invalidateQueries({ queryKey: ['Patient'] })),
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Within another form, such as the one that books.
    event.stopPropagation()
    setBusy(true)
    setProblems([])
    create()
      .catch((error: unknown) => setProblems(issuesOf(error)))
      .finally(() => setBusy(false))
  }
  return { fields, isChanged: fields !== first, problems, certain, isBusy, reading, change, submit }
}

async function sameAs(patient: Patient): Promise<Candidate | undefined> {
  const found = await matchesOf(patient)
  return found.find(({ grade, score }) => grade === 'certain' || score >= ASKS_FROM)
}

/** Fields filled in from a search: names in the order of speech, or the family name before a comma. */
function fieldsFrom(typed: string, reading: DateReading): PatientFields {
  const pieces = piecesOf(typed, reading)
  const textOf = (...kinds: readonly string[]) => pieces.find(({ kind }) => kinds.includes(kind))?.text ?? ''
  const names = pieces.flatMap(({ kind, text }) => (kind === 'name' ? [text] : []))
  const isFamilyFirst = typed.includes(',')
  const [family, given] =
    names.length < 2 || isFamilyFirst ? [names.slice(0, 1), names.slice(1)] : [names.slice(-1), names.slice(0, -1)]
  return {
    ...NO_FIELDS,
    given: given.join(' '),
    family: family.join(' '),
    birthDate: textOf('date'),
    phone: textOf('phone', 'digits'),
    email: textOf('email'),
  }
}

/** The patient as far as it is typed: a date is left out until it is one. */
const asPatient = (fields: PatientFields, reading: DateReading): Patient =>
  withFields(EMPTY, { ...fields, birthDate: dateIn(fields.birthDate, reading) ?? '' })

interface MayBeProps {
  readonly fields: PatientFields
  readonly isCertain: boolean
  readonly onCompare: (candidate: Candidate) => void
  readonly onUse: (patient: Patient) => void
}

function MayBeTheSame({ fields, isCertain, onCompare, onUse }: MayBeProps) {
  const reading = useDateReading()
  const [settled] = useDebouncedValue(fields, 250)
  const { given, family, phone, email } = settled
  const isAsked = [given, family, phone, email].some((text) => text.trim().length > 1)
  const { data = [], error } = useMatches(asPatient(settled, reading), isAsked)
  return (
    // As high with matches as without, so that the buttons stay where they are.
    <Stack gap={4} h={148} style={{ overflowY: 'auto' }} component="section" aria-label="May be the same person">
      <Text size="sm" fw={600}>
        May be the same person
      </Text>
      {isCertain && (
        <Alert color="red" variant="light" p="xs" role="alert">
          A record of this person is here already. Use it, or create a second one.
        </Alert>
      )}
      {error !== null && <Text size="sm">{error.message}</Text>}
      {error === null && data.length === 0 && (
        <Text size="sm" c="dimmed">
          No record is like this one.
        </Text>
      )}
      {data.map((candidate) => (
        <Group key={candidate.patient.id} justify="space-between" gap="xs">
          <Text size="sm" className="cut" flex="1 1 180px" miw={0}>
            <bdi>{patientName(candidate.patient)}</bdi>{' '}
            <Text span c="dimmed" inherit>
              {dateText(candidate.patient.birthDate)}
            </Text>
          </Text>
          <Group gap="xs" wrap="nowrap" flex="none">
            <LikelihoodBadge {...candidate} />
            <Button size="compact-xs" variant="default" onClick={() => onCompare(candidate)}>
              Compare
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => onUse(candidate.patient)}>
              Use
            </Button>
          </Group>
        </Group>
      ))}
    </Stack>
  )
}
