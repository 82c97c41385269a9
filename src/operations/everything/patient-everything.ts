/** Patient/$everything: https://hl7.org/fhir/R4/patient-operation-everything.html. */

import { defineOperation } from '../../core/operation.ts'
import { compartmentMembers } from '../../fhir/compartments.ts'
import { everythingAround } from './everything.ts'

/** The compartment, and the tasks about the patient, which are missing from the compartment in R4. */
const members = new Map([...(compartmentMembers('Patient') ?? []), ['Task', ['patient', 'focus']] as const])

export const patientEverything = defineOperation('patient-everything', everythingAround({ type: 'Patient', members }))
