/** Patient: the standard interactions, matching, and the live-call tools. */
import { callOperations } from '../calls/operations.ts'
import { patientMatch } from '../operations/patient-match.ts'
import { defineProvider } from './provider.ts'
import { standard } from './standard.ts'

export const patient = defineProvider('Patient', {
  interactions: standard,
  operations: [patientMatch, ...callOperations],
})
