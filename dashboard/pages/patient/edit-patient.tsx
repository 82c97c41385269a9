/** Changes what is known of a person. Where somebody else was faster both versions are shown, and nothing is lost. */
import { Alert, Button, Group, Modal, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import { useState } from 'react'
import { get } from '../../api/client.ts'
import { patch } from '../../api/operations.ts'
import { Problem } from '../../api/problem.ts'
import { Conflict } from '../../parts/conflict.tsx'
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
  // As it was when the form was opened, whatever becomes of it meanwhile.
  const [base] = useState(patient)
  const [fields, setFields] = useState(() => fieldsOf(patient))
  const { saveOn, isBusy, problem, theirs, leaveConflict } = useSave(onClose)
  const errors = errorsByField(problem)
  return (
    <Modal opened onClose={onClose} title="Edit demographics" size="lg" closeOnClickOutside={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void saveOn(base, fields)
        }}
      >
        <Stack>
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
              Save
            </Button>
          </Group>
        </Stack>
      </form>
      {theirs !== undefined && (
        <Conflict
          base={fieldsOf(base)}
          mine={fields}
          theirs={fieldsOf(theirs)}
          labelOf={(name) => LABELS[name as keyof PatientFields]}
          textOf={(value) => String(value) || 'none'}
          isBusy={isBusy}
          onClose={leaveConflict}
          onSave={(whole) => {
            setFields(whole as PatientFields)
            void saveOn(theirs, whole as PatientFields)
          }}
        />
      )}
    </Modal>
  )
}

/** Saves on a version that was read; where that is not the current one any more, nothing is written. */
function useSave(onClose: () => void) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  /** What somebody else has saved. */
  const [theirs, setTheirs] = useState<Patient>()
  const attempt = async (seen: Patient, fields: PatientFields): Promise<void> => {
    try {
      const steps = patchFor(seen, fields)
      if (steps.length > 0) await patch(seen, steps)
      await client.invalidateQueries({ queryKey: ['Patient'] })
      notifications.show({ message: 'The changes are saved.' })
      onClose()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const isOld = error.status === 412
      setTheirs(isOld ? await get<Patient>(`Patient/${seen.id}`) : undefined)
      if (!isOld) setProblem(error)
    }
  }
  const saveOn = async (seen: Patient, fields: PatientFields): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    await attempt(seen, fields).finally(() => setBusy(false))
  }
  return { saveOn, isBusy, problem, theirs, leaveConflict: () => setTheirs(undefined) }
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

function errorsByField(problem: Problem | undefined): ReadonlyMap<keyof PatientFields, string> {
  const found = (problem?.issues ?? []).flatMap(({ expression, text }) => {
    const field = fieldOf(expression ?? '')
    return field === undefined ? [] : [[field, text] as const]
  })
  return new Map(found)
}
