/** The patient's timeline: calls, tasks, appointments, documents and insurers' replies, the newest first. */
import { Timeline as Line, Text } from '@mantine/core'
import type {
  Appointment,
  CoverageEligibilityResponse,
  DocumentReference,
  Encounter,
  FhirResource,
  Patient,
  Task,
} from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { conceptText } from '../../fhir/names.ts'
import { taskTitle } from '../../fhir/tasks.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Empty, ErrorView, Loading } from '../../parts/page-states.tsx'
import { Time } from '../../parts/times.tsx'

interface Happening {
  readonly id: string
  readonly at: string
  readonly icon: IconName
  readonly title: string
  readonly more: string
}

const MOST = '50'

export function Timeline({ patient }: { readonly patient: Patient }) {
  const id = patient.id ?? ''
  const queries = [
    useHappenings<Encounter>('Encounter', 'patient', id, ofEncounter),
    useHappenings<Task>('Task', 'patient', id, ofTask),
    useHappenings<Appointment>('Appointment', 'patient', id, ofAppointment),
    useHappenings<DocumentReference>('DocumentReference', 'patient', id, ofDocument),
    useHappenings<CoverageEligibilityResponse>('CoverageEligibilityResponse', 'patient', id, ofEligibility),
  ]
  const failed = queries.find(({ error }) => error)
  if (failed) return <ErrorView error={failed.error} onRetry={failed.refetch} />
  if (queries.some(({ happenings }) => happenings === undefined)) return <Loading />
  const all = queries.flatMap(({ happenings = [] }) => happenings).sort((one, other) => (one.at < other.at ? 1 : -1))
  if (all.length === 0) {
    return (
      <Empty icon="clock" title="Nothing has happened yet">
        Calls, tasks, appointments, documents and answers of insurers will stand here.
      </Empty>
    )
  }
  return (
    <Line bulletSize={28} lineWidth={2} active={-1}>
      {all.map(({ id: key, at, icon, title, more }) => (
        <Line.Item key={key} bullet={<Icon name={icon} size={14} />} title={title}>
          <Text size="sm" c="dimmed">
            <Time at={at} />
            {more === '' ? '' : ` · ${more}`}
          </Text>
        </Line.Item>
      ))}
    </Line>
  )
}

function useHappenings<T extends FhirResource>(type: string, by: string, id: string, of: (resource: T) => Happening) {
  // Documents without their contents, which may be large.
  const elements = type === 'DocumentReference' ? ([['_elements', 'type,date,description,status']] as const) : []
  const { data, error, refetch } = useSearch(type, [
    [by, id],
    ['_sort', '-_lastUpdated'],
    ['_count', MOST],
    ...elements,
  ])
  return { happenings: data && matchesIn<T>(data).map(of), error, refetch }
}

const ofEncounter = ({ id = '', status, period, reasonCode, class: kind, meta }: Encounter): Happening => ({
  id: `Encounter/${id}`,
  at: period?.start ?? meta?.lastUpdated ?? '',
  icon: kind.code === 'VR' ? 'call' : 'user',
  title: kind.code === 'VR' ? 'Call' : 'Visit',
  more: [reasonCode?.map(conceptText).join(', '), status].filter(Boolean).join(' · '),
})

const ofTask = (task: Task): Happening => ({
  id: `Task/${task.id}`,
  at: task.authoredOn ?? task.meta?.lastUpdated ?? '',
  icon: 'tasks',
  title: taskTitle(task),
  more: [task.status, task.owner?.display].filter(Boolean).join(' · '),
})

const ofAppointment = ({
  id = '',
  start,
  created,
  status,
  description,
  appointmentType,
  meta,
}: Appointment): Happening => ({
  id: `Appointment/${id}`,
  at: start ?? created ?? meta?.lastUpdated ?? '',
  icon: 'calendar',
  title: description ?? (conceptText(appointmentType) || 'Appointment'),
  more: status ?? '',
})

const ofDocument = ({ id = '', date, type, description, status, meta }: DocumentReference): Happening => ({
  id: `DocumentReference/${id}`,
  at: date ?? meta?.lastUpdated ?? '',
  icon: 'document',
  title: description ?? (conceptText(type) || 'Document'),
  more: [conceptText(type), status === 'current' ? '' : status].filter(Boolean).join(' · '),
})

const ofEligibility = ({ id = '', created, outcome, disposition, meta }: CoverageEligibilityResponse): Happening => ({
  id: `CoverageEligibilityResponse/${id}`,
  at: created ?? meta?.lastUpdated ?? '',
  icon: 'check',
  title: 'The insurer replied',
  more: disposition ?? outcome ?? '',
})
