/**
 * A town of synthetic patients, made from a seed: households with three years of care on the profiles of US Core
 * (https://hl7.org/fhir/us/core/STU6.1/). The people of a seed are always the same; another day moves their dates alone.
 * docs/scenarios.md
 */
import type { ClinicDay } from '../moments.ts'
import type { Scenario, ScenarioResource } from '../scenario.ts'
import { Calendar } from './calendar.ts'
import { courseOf } from './course.ts'
import { Diary } from './diary.ts'
import { households, type Person } from './people.ts'
import { clinicResources } from './record/clinic.ts'
import { allergyOf, illnessOf, immunizationOf, prescriptionOf, problemOf, proceduresOf } from './record/clinical.ts'
import type { Source } from './record/common.ts'
import { noteOf } from './record/note.ts'
import { observationsOf } from './record/observations.ts'
import { coverageOf, patientOf } from './record/patient.ts'
import { appointmentOf, encounterResource } from './record/visit.ts'

export interface Town {
  /** Any text; the same text gives the same people. */
  readonly seed: string
  /** Number of patients. */
  readonly patients: number
}

/** All resources, what others refer to first; made one patient at a time, so that few are in memory. */
export function* townResources({ seed, patients }: Town, day: ClinicDay): Generator<ScenarioResource> {
  yield* clinicResources()
  const calendar = new Calendar(day)
  const diary = new Diary()
  for (const person of peopleOf(seed, patients)) {
    yield* recordOf({ ...courseOf(person, diary, seed), calendar })
  }
}

function* peopleOf(seed: string, patients: number): Generator<Person> {
  for (const household of households(seed)) {
    for (const person of household) {
      if (person.number > patients) return
      yield person
    }
  }
}

function* recordOf(source: Source): Generator<ScenarioResource> {
  const { problems, allergies, visits, findings, prescriptions } = source
  yield patientOf(source)
  yield* coverageOf(source)
  for (const visit of visits) yield appointmentOf(source, visit)
  for (const found of findings) yield encounterResource(source, found)
  for (const problem of problems) yield problemOf(source, problem)
  for (const allergy of allergies) yield allergyOf(source, allergy)
  for (const [index, prescription] of prescriptions.entries()) yield prescriptionOf(source, prescription, index + 1)
  for (const found of findings) {
    const { visit, illness, vaccines } = found
    if (illness) yield illnessOf(source, visit, illness)
    yield* observationsOf(source, found)
    for (const vaccine of vaccines) yield immunizationOf(source, visit, vaccine)
    yield* proceduresOf(source, found)
    // A note of some visits, so that documents do not fill the record.
    if (visit.number % 4 === 2) yield noteOf(source, found)
  }
}

const SYNTHETIC: Town = { seed: '1', patients: 1000 }

export const synthetic: Scenario = {
  name: `synthetic-${SYNTHETIC.patients}`,
  title: 'A thousand synthetic patients',
  version: '1.0.0',
  description:
    'Families with three years of visits, conditions, medications, results, immunizations, documents and insurance, on the profiles of US Core.',
  people: [
    { who: 'Danielle Baptiste', resource: 'Patient/synthetic-0065', what: 'has the largest record' },
    {
      who: 'Ian Stanton',
      resource: 'Patient/synthetic-0407',
      what: 'has diabetes, which took three steps of treatment',
    },
    { who: 'Emilio Quintero', resource: 'Patient/synthetic-0010', what: 'has died' },
    {
      who: 'Laura McAllister',
      resource: 'Patient/synthetic-0035',
      what: 'has three children at her address and phone',
    },
    {
      who: 'Gary Eastman',
      resource: 'Patient/synthetic-0126',
      what: 'was given another antibiotic than amoxicillin, an allergy',
    },
    { who: 'Samuel Crawley', resource: 'Patient/synthetic-0601', what: 'is the youngest' },
  ],
  count: 29_335,
  resources: (day) => townResources(SYNTHETIC, day),
}
