/**
 * Edits the demographics of a patient. Where somebody else has saved meanwhile, both versions are shown and none is
 * lost.
 */
import { Button, Group, Modal, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import { get } from '../../api/client.ts'
import { CONTACTS, type ContactName, readContact } from '../../api/contacts.ts'
import { patch } from '../../api/operations.ts'
import { Problem, type ProblemIssue } from '../../api/problem.ts'
import { Conflict } from '../../parts/conflict.tsx'
import { NotSaved } from '../../parts/save-bar.tsx'
import { useVersionedForm } from '../../parts/use-versioned-form.ts'
import { elementOf, fieldOf, fieldsOf, type PatientFields, patchFor } from './patient-form.ts'

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
  const form = useEdit(patient, onClose)
  const errors = errorsByField(form.problems)
  return (
    <Modal opened onClose={onClose} title="Edit demographics" size="lg" closeOnClickOutside={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void form.save()
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {NAMES.map((name) => (
              <Field key={name} name={name} fields={form.value} error={errors.get(name)} onChange={form.setValue} />
            ))}
          </SimpleGrid>
          {errors.size === 0 && <NotSaved problems={form.problems.map(({ text }) => text)} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.isBusy}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
      {form.conflict && <Conflict {...form.conflict} labelOf={labelOf} textOf={(value) => String(value) || 'none'} />}
    </Modal>
  )
}

const labelOf = (name: string): string => LABELS[name as keyof PatientFields]

function useEdit(patient: Patient, onClose: () => void) {
  const client = useQueryClient()
  return useVersionedForm(patient, {
    valueIn: fieldsOf,
    write: async (fields, on) => {
      const steps = patchFor(on, await withNormalContacts(on, fields))
      return steps.length > 0 ? await patch(on, steps) : on
    },
    read: () => get<Patient>(`Patient/${patient.id}`),
    problemsOf: issuesOf,
    onSaved: () => {
      void client.invalidateQueries({ queryKey: ['Patient'] })
      notifications.show({ message: 'The changes are saved.' })
      onClose()
    },
  })
}

/**
 * A phone or e-mail that was typed, in the form in which the server stores it; one that was left alone stays as it is.
 * @throws Problem naming each that is none
 */
async function withNormalContacts(on: Patient, fields: PatientFields): Promise<PatientFields> {
  const before = fieldsOf(on)
  const issues: ProblemIssue[] = []
  const normal: { -readonly [Name in ContactName]?: string } = {}
  for (const name of CONTACTS) {
    if (fields[name] === before[name] || fields[name].trim() === '') continue
    const read = await readContact(name, fields[name])
    if ('value' in read) normal[name] = read.value
    else issues.push({ text: read.error, expression: elementOf(name), severity: 'error' })
  }
  if (issues.length > 0) throw new Problem(422, issues)
  return { ...fields, ...normal }
}

type Wrong = Pick<ProblemIssue, 'text' | 'expression'>

const issuesOf = (error: unknown): readonly Wrong[] =>
  error instanceof Problem ? error.issues : [{ text: error instanceof Error ? error.message : String(error) }]

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

function errorsByField(problems: readonly Wrong[]): ReadonlyMap<keyof PatientFields, string> {
  const found = problems.flatMap(({ expression, text }) => {
    const field = fieldOf(expression ?? '')
    return field === undefined ? [] : [[field, text] as const]
  })
  return new Map(found)
}
