/** Patient: the standard interactions, matching, the whole record, and the live-call tools. */
import { callOperations } from '../calls/operations.ts'
import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { patientEverything } from '../operations/everything/patient-everything.ts'
import { patientMatch } from '../operations/patient-match.ts'

export const patient = defineProvider('Patient', {
  interactions: standard,
  operations: [patientMatch, patientEverything, ...callOperations],
})
