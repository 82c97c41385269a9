/** Patient: the standard interactions, matching, the whole record, and the live-call tools. */
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool-registry.ts'
import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { patientEverything } from '../operations/everything/patient-everything.ts'
import { patientMatch } from '../operations/patient-match.ts'

export const patient = defineProvider('Patient', {
  interactions: standard,
  operations: [patientMatch, patientEverything, ...toolOperations(toolFamilies, 'Patient')],
})
