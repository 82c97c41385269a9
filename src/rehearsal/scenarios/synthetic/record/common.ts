/** Parts that the resources of the record share: references, codes, profiles and times. */
import type { CodeableConcept, Meta, Reference } from 'fhir/r4'
import type { Calendar } from '../calendar.ts'
import type { Course } from '../course.ts'
import type { Person } from '../people.ts'
import { PRACTITIONERS, type PractitionerKey, type PractitionerRow } from '../tables/clinic.ts'
import type { Code } from '../tables/medicine.ts'
import type { Moment } from '../treatment.ts'
import type { Visit } from '../visits.ts'

/** The course of a person, from which all resources of the record are made. */
export interface Source extends Course {
  readonly calendar: Calendar
}

export const LOINC = 'http://loinc.org'
export const ICD_10 = 'http://hl7.org/fhir/sid/icd-10-cm'
export const RXNORM = 'http://www.nlm.nih.gov/research/umls/rxnorm'
export const UCUM = 'http://unitsofmeasure.org'
export const US_CORE = 'http://hl7.org/fhir/us/core/StructureDefinition'

const HL7 = 'http://terminology.hl7.org/CodeSystem'

/** @param name the last part of the address of a profile of US Core */
export const conformsTo = (name: string): Meta => ({ profile: [`${US_CORE}/${name}`] })

export const coded = (system: string, { code, display }: Code): CodeableConcept => ({
  coding: [{ system, code, display }],
  text: display,
})

/** @param system the last part of the address of a code system of HL7 */
export const hl7 = (system: string, code: string, display: string): CodeableConcept => ({
  coding: [{ system: `${HL7}/${system}`, code, display }],
})

export const ORGANIZATION: Reference = { reference: 'Organization/{clinic}', display: '{clinic-name}' }
export const LOCATION: Reference = { reference: 'Location/synthetic-office', display: 'Canal Street' }

const nameOf = ({ given, family }: Person): string => `${given[0]} ${family}`

export const subjectOf = (person: Person): Reference => ({
  reference: `Patient/${person.id}`,
  display: nameOf(person),
})

export const practitionerName = ({ prefix, given, family, suffix }: PractitionerRow): string =>
  prefix === undefined ? `${given} ${family}, ${suffix}` : `${prefix} ${given} ${family}`

export function practitionerReference(key: PractitionerKey): Reference {
  const row: PractitionerRow = PRACTITIONERS[key]
  return { reference: `Practitioner/${row.id}`, display: practitionerName(row) }
}

/** The physician of a person, whoever a visit is with. */
export const physicianOf = ({ role, household }: Person): PractitionerKey => {
  if (role === 'child') return 'children'
  return household.number % 2 === 0 ? 'first' : 'second'
}

export const encounterOf = ({ id }: Person, { number }: Visit): Reference => ({
  reference: `Encounter/${id}-encounter-${number}`,
})

/** The begin of a visit, or another minute of it. */
export const timeOf = (calendar: Calendar, { workday, minute }: Visit, later = 0): string =>
  calendar.at(workday, minute + later)

/** A FHIR date. */
export const dateOf = (calendar: Calendar, moment: Moment): string =>
  typeof moment === 'number' ? calendar.daysBefore(moment) : calendar.workday(moment.workday)
