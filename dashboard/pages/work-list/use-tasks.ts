/** The Tasks of the list, with the patients whom they are about. */
import type { Patient, Task } from 'fhir/r4'
import { useMemo } from 'react'
import { useAll } from '../../api/all-pages.ts'
import { patientName, referenceParts, telecomOf } from '../../fhir/names.ts'
import { isPlaceholder } from '../../fhir/patients.ts'
import { numberIn } from '../../fhir/task-words.ts'
import { OPEN_STATUSES } from '../../fhir/tasks.ts'

const CLOSED = 'completed,cancelled,rejected,failed'
const ELEMENTS =
  'status,priority,code,description,owner,restriction,authoredOn,for,input,lastModified,Patient.name,Patient.telecom'

export interface Person {
  /** Empty: nobody is known. */
  readonly name: string
  /** The number to call, in groups; empty: none is known. */
  readonly number: string
}

export function useTasks(isClosed: boolean) {
  const query = useAll<Task>(
    'Task',
    [
      ['status', isClosed ? CLOSED : OPEN_STATUSES],
      ['_sort', isClosed ? '-modified' : '-priority,authored-on'],
      ['_include', 'Task:patient'],
      ['_elements', ELEMENTS],
    ],
    { most: isClosed ? 200 : 2000 },
  )
  const { data } = query
  const patients = useMemo(
    () => new Map((data?.included<Patient>('Patient') ?? []).map((patient) => [patient.id, patient])),
    [data],
  )
  const personOf = (task: Task): Person => personIn(task, patients.get(referenceParts(task.for?.reference)?.id))
  return { query, personOf }
}

function personIn(task: Task, patient: Patient | undefined): Person {
  const number = numberIn(task) || telecomOf(patient?.telecom, 'phone')
  if (patient === undefined) return { name: task.for?.display ?? '', number }
  const isUnknown = isPlaceholder(patient) && patient.name === undefined
  return { name: isUnknown ? 'Unknown caller' : patientName(patient), number }
}
