/** Encounter/$everything: https://hl7.org/fhir/R4/encounter-operation-everything.html. */

import { defineOperation } from '../../core/operation.ts'
import { compartmentMembers } from '../../fhir/compartments.ts'
import { everythingAround } from './everything.ts'

/** The compartment, and types that refer to an encounter but are missing from the compartment in R4. */
const members = new Map([
  ...(compartmentMembers('Encounter') ?? []),
  ...Object.entries({
    Encounter: ['part-of'],
    Flag: ['encounter'],
    ImagingStudy: ['encounter'],
    List: ['encounter'],
    MedicationDispense: ['context'],
    MedicationStatement: ['context'],
    RiskAssessment: ['encounter'],
    Task: ['encounter'],
  }),
])

export const encounterEverything = defineOperation(
  'encounter-everything',
  everythingAround({ type: 'Encounter', members }),
)
