/** The dialog that registers a new patient, loaded when it is opened. */
import type { Patient } from 'fhir/r4'
import { lazy, Suspense } from 'react'

export interface NewPatientProps {
  /** What was typed in the search that found nobody. */
  readonly typed: string
  readonly onClose: () => void
  /** Receives the new patient, or an existing record that was chosen in its place, and takes the dialog away. */
  readonly onCreated: (patient: Patient) => void
}

const Dialog = lazy(async () => ({ default: (await import('./new-patient-dialog.tsx')).NewPatientForm }))

export const NewPatientDialog = (props: NewPatientProps) => (
  <Suspense>
    <Dialog {...props} />
  </Suspense>
)
