/** The booking dialog for a patient or a practitioner that the address names: `?book=Patient/1`. */
import type { Patient } from 'fhir/r4'
import { lazy, Suspense } from 'react'
import { useGet } from '../../api/queries.ts'
import { referenceParts } from '../../fhir/names.ts'
import type { Column } from './use-plan.ts'

const BookDialog = lazy(async () => ({ default: (await import('./book-dialog.tsx')).BookDialog }))

interface BookLinkProps {
  readonly reference: string
  readonly columns: readonly Column[]
  readonly onClose: () => void
}

export function BookLink({ reference, columns, onClose }: BookLinkProps) {
  const isPatient = referenceParts(reference)?.type === 'Patient'
  const { data: patient, isPending } = useGet<Patient>(reference, { enabled: isPatient })
  // The dialog keeps what it began with.
  if (isPatient && isPending) return null
  const schedule = columns.find(({ schedule: { actor } }) => actor.some((one) => one.reference === reference))?.id
  return (
    <Suspense>
      <BookDialog
        time={undefined}
        entry={undefined}
        first={{ patient, schedule }}
        columns={columns}
        onClose={onClose}
      />
    </Suspense>
  )
}
