/** The resource types in an order in which most references lead back. */
import { resourceTypes } from './definitions.ts'

/** Types that others refer to; all others follow by their names. */
const FIRST = [
  ...['Organization', 'Location', 'Practitioner', 'HealthcareService', 'PractitionerRole', 'Patient', 'RelatedPerson'],
  ...['Coverage', 'Schedule', 'Slot', 'Appointment', 'Encounter'],
]

export const typesInOrder: readonly string[] = [...new Set([...FIRST, ...resourceTypes])]
