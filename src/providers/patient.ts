/** Patient: the standard interactions, matching, the whole record, and the live-call tools. */
import { callOperations } from '../calls/operations.ts'
import { patientEverything } from '../operations/patient-everything.ts'
import { patientMatch } from '../operations/patient-match.ts'
import { defineProvider } from './provider.ts'
import { standard } from './standard.ts'

export const patient = defineProvider('Patient', {
  interactions: standard,
  operations: [patientMatch, patientEverything, ...callOperations],
})
