/** The Tasks of the list, with the patients whom they are about. */
import type { Patient, Task } from 'fhir/r4'
import { useMemo } from 'react'
import { useAll } from '../../api/all-pages.ts'
import { peopleIn } from '../../fhir/task-person.ts'
import { OPEN_STATUSES } from '../../fhir/tasks.ts'

const CLOSED = 'completed,cancelled,rejected,failed'
const ELEMENTS =
  'status,priority,code,description,owner,restriction,authoredOn,for,input,lastModified,Patient.name,Patient.telecom'

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
  const personOf = useMemo(() => peopleIn(data?.included<Patient>('Patient') ?? []), [data])
  return { query, personOf }
}
