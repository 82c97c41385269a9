/** The practitioners of the synthetic clinic, and its kinds of visits. */
import type { Code } from './medicine.ts'

export interface PractitionerRow {
  readonly id: string
  readonly prefix?: string
  readonly given: string
  readonly family: string
  readonly suffix: string
  readonly gender: 'female' | 'male'
  readonly number: string
  /** https://terminology.hl7.org/CodeSystem-practitioner-role.html */
  readonly role: Code
  /** https://terminology.hl7.org/CodeSystem-service-type.html */
  readonly service: Code
}

const DOCTOR = { code: 'doctor', display: 'Doctor' }
const GENERAL = { code: '124', display: 'General Practice' }

export const PRACTITIONERS = {
  first: {
    ...{ id: 'synthetic-hargrove', prefix: 'Dr.', given: 'Miriam', family: 'Hargrove', suffix: 'MD', gender: 'female' },
    ...{ number: 'S-901', role: DOCTOR, service: GENERAL },
  },
  second: {
    ...{ id: 'synthetic-ferreira', prefix: 'Dr.', given: 'Tomás', family: 'Ferreira', suffix: 'MD', gender: 'male' },
    ...{ number: 'S-902', role: DOCTOR, service: GENERAL },
  },
  children: {
    ...{ id: 'synthetic-adair', prefix: 'Dr.', given: 'Wanjiru', family: 'Adair', suffix: 'MD', gender: 'female' },
    ...{ number: 'S-903', role: DOCTOR, service: GENERAL },
  },
  nurse: {
    ...{ id: 'synthetic-pell', given: 'Jonas', family: 'Pell', suffix: 'NP', gender: 'male' },
    ...{ number: 'S-904', role: { code: 'nurse', display: 'Nurse' }, service: GENERAL },
  },
} as const satisfies Readonly<Record<string, PractitionerRow>>

export type PractitionerKey = keyof typeof PRACTITIONERS

export interface VisitType {
  /** https://terminology.hl7.org/CodeSystem-v2-0276.html */
  readonly appointment: Code
  /** As the clinic calls it. */
  readonly text: string
}

const CHECKUP = { code: 'CHECKUP', display: 'A routine check-up, such as an annual physical' }

export const VISIT_TYPES = {
  checkup: { appointment: CHECKUP, text: 'Annual physical' },
  wellChild: { appointment: CHECKUP, text: 'Well-child visit' },
  followUp: {
    appointment: { code: 'FOLLOWUP', display: 'A follow up visit from a previous appointment' },
    text: 'Follow-up visit',
  },
  acute: {
    appointment: { code: 'ROUTINE', display: 'Routine appointment - default if not valued' },
    text: 'Sick visit',
  },
} as const satisfies Readonly<Record<string, VisitType>>

export type VisitKind = keyof typeof VISIT_TYPES
