/** The dialog that registers a new patient, loaded when it is opened. */
import { lazy, Suspense } from 'react'
import type { NewPatientProps } from './new-patient-dialog.tsx'

const Dialog = lazy(async () => ({ default: (await import('./new-patient-dialog.tsx')).NewPatientForm }))

export const NewPatientDialog = (props: NewPatientProps) => (
  <Suspense>
    <Dialog {...props} />
  </Suspense>
)
