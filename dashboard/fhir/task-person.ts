/** The person whom a Task is about, who is to be called. */
import type { Patient, Task } from 'fhir/r4'
import { patientName, referenceParts, telecomOf } from './names.ts'
import { isPlaceholder } from './patients.ts'
import { numberIn } from './task-words.ts'

export interface Person {
  /** Empty: nobody is known. */
  readonly name: string
  /** The number to call, in groups; empty: none is known. */
  readonly number: string
}

/** @param patients that the Tasks name by `for` (`_include=Task:patient`) */
export function peopleIn(patients: readonly Patient[]): (task: Task) => Person {
  const byId = new Map(patients.map((patient) => [patient.id, patient]))
  return (task) => personIn(task, byId.get(referenceParts(task.for?.reference)?.id))
}

function personIn(task: Task, patient: Patient | undefined): Person {
  const number = numberIn(task) || telecomOf(patient?.telecom, 'phone')
  if (patient === undefined) return { name: task.for?.display ?? '', number }
  const isUnknown = isPlaceholder(patient) && patient.name === undefined
  return { name: isUnknown ? 'Unknown caller' : patientName(patient), number }
}
