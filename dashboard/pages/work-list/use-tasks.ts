/** The Tasks of the list, with the patients whom they are about. */
import type { Patient, Task } from 'fhir/r4'
import { useMemo } from 'react'
import { useInOrder } from '../../api/all-pages.ts'
import type { Parameters } from '../../api/queries.ts'
import { peopleIn } from '../../fhir/task-person.ts'
import { OPEN_STATUSES } from '../../fhir/tasks.ts'
import { BY_PRIORITY } from '../../fhir/work.ts'

const CLOSED = 'completed,cancelled,rejected,failed'
const ELEMENTS =
  'status,priority,code,description,owner,restriction,authoredOn,for,input,lastModified,Patient.name,Patient.telecom'

const INCLUDED: Parameters = [
  ['_include', 'Task:patient'],
  ['_elements', ELEMENTS],
]

const OF_CLOSED: readonly Parameters[] = [[['status', CLOSED], ['_sort', '-modified'], ...INCLUDED]]

const OF_OPEN: readonly Parameters[] = BY_PRIORITY.map((priority) => [
  ['status', OPEN_STATUSES],
  priority,
  ['_sort', 'authored-on'],
  ...INCLUDED,
])

export function useTasks(isClosed: boolean) {
  const query = useInOrder<Task>('Task', isClosed ? OF_CLOSED : OF_OPEN, isClosed ? 200 : 2000)
  const { data } = query
  const personOf = useMemo(() => peopleIn(data?.included<Patient>('Patient') ?? []), [data])
  return { query, personOf }
}
