/**
 * Edits the demographics of a patient. Where somebody else has saved meanwhile, both versions are shown and none is
 * lost.
 */
import { Button, Group, Modal, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import { get } from '../../api/client.ts'
import { patch } from '../../api/operations.ts'
import { issuesOf } from '../../api/problem.ts'
import { Conflict } from '../../parts/conflict.tsx'
import { LABELS, normalFields, PatientFieldset, problemsOfNoField } from '../../parts/patient-fields.tsx'
import { fieldsOf, type PatientFields, patchFor } from '../../parts/patient-form.ts'
import { NotSaved } from '../../parts/save-bar.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useDateReading } from '../../parts/use-date-reading.ts'
import { useVersionedForm } from '../../parts/use-versioned-form.ts'

interface EditProps {
  readonly patient: Patient
  readonly onClose: () => void
}

export function EditPatient({ patient, onClose }: EditProps) {
  const form = useEdit(patient, onClose)
  const { close, question } = useUnsaved(form.isChanged && !form.isBusy, { onClose, leftBy: ({ tab }) => tab })
  return (
    <Modal opened onClose={close} title="Edit demographics" size="lg" closeOnClickOutside={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void form.save()
        }}
      >
        <Stack>
          <PatientFieldset value={form.value} problems={form.problems} onChange={form.setValue} />
          <NotSaved problems={problemsOfNoField(form.problems)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={form.isBusy}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
      {form.conflict && <Conflict {...form.conflict} labelOf={labelOf} textOf={(value) => String(value) || 'none'} />}
    </Modal>
  )
}

const labelOf = (name: string): string => LABELS[name as keyof PatientFields]

function useEdit(patient: Patient, onClose: () => void) {
  const client = useQueryClient()
  const reading = useDateReading()
  return useVersionedForm(patient, {
    valueIn: fieldsOf,
    write: async (fields, on) => {
      const steps = patchFor(on, await normalFields(fields, fieldsOf(on), reading))
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
