/** Patient: the standard interactions, matching, the whole record, and the live-call tools. */
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool-registry.ts'
import { defineProvider, standard } from '../core/provider.ts'
import { patientFindDuplicates } from '../operations/duplicates/find-duplicates.ts'
import { patientNotDuplicates } from '../operations/duplicates/not-duplicates.ts'
import { patientEverything } from '../operations/everything/patient-everything.ts'
import { patientMerge } from '../operations/merge/patient-merge.ts'
import { patientUnmerge } from '../operations/merge/patient-unmerge.ts'
import { patientMatch } from '../operations/patient-match.ts'

export const patient = defineProvider('Patient', {
  interactions: standard,
  operations: [
    patientMatch,
    patientFindDuplicates,
    patientNotDuplicates,
    patientMerge,
    patientUnmerge,
    patientEverything,
    ...toolOperations(toolFamilies, 'Patient'),
  ],
})
