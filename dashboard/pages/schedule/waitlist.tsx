/** The waitlist, in the order in which freed times are offered: docs/waitlist.md. */
import { Button, Group, Stack, Text } from '@mantine/core'
import type { Appointment, Patient, Practitioner, Reference } from 'fhir/r4'
import { useAll } from '../../api/all-pages.ts'
import { conceptText, nameOf, referenceText } from '../../fhir/names.ts'
import { timeText } from '../../fhir/time.ts'
import { patientOf } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Loaded } from '../../parts/page-states.tsx'

/** The sort key of an entry. Priorities are those of RFC 5545: 1 first, 9 last, none counts as 5. */
const turnOf = ({ priority, created, meta }: Appointment): string =>
  `${priority === undefined || priority === 0 ? 5 : priority} ${created ?? meta?.lastUpdated ?? ''}`

export function Waitlist({ onBook }: { readonly onBook: (entry: Appointment) => void }) {
  const query = useAll<Appointment>('Appointment', [
    ['status', 'waitlist'],
    ['_include', 'Appointment:actor'],
  ])
  return (
    <section aria-label="Waitlist">
      <Text component="h2" size="md" fw={600} m={0} mb={4}>
        Waitlist
      </Text>
      <Loaded query={query} rows={1}>
        {({ matches, included }) =>
          matches.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nobody waits. A caller joins when nothing suits; whoever is first is offered what becomes free.
            </Text>
          ) : (
            <div className="card">
              {[...matches]
                .sort((one, other) => turnOf(one).localeCompare(turnOf(other), 'en'))
                .map((entry) => (
                  <Entry
                    key={entry.id}
                    entry={entry}
                    patients={included<Patient>('Patient')}
                    practitioners={included<Practitioner>('Practitioner')}
                    onBook={() => onBook(entry)}
                  />
                ))}
            </div>
          )
        }
      </Loaded>
    </section>
  )
}

interface EntryProps {
  readonly entry: Appointment
  readonly patients: readonly Patient[]
  readonly practitioners: readonly Practitioner[]
  readonly onBook: () => void
}

function Entry({ entry, patients, practitioners, onBook }: EntryProps) {
  const { timeZone } = useClinic()
  const name = patientOf(entry, patients)
  const { requestedPeriod = [], created, appointmentType, participant } = entry
  const practitionerOf = (actor: Reference | undefined) =>
    practitioners.find(({ id }) => actor?.reference === `Practitioner/${id}`)
  const actors = participant.flatMap(({ actor }) =>
    actor?.reference?.includes('Patient/') ? [] : nameOf(practitionerOf(actor)?.name) || referenceText(actor),
  )
  const wants = [
    ...requestedPeriod.map(({ start, end }) =>
      [start, end]
        .map((at) => timeText(at, timeZone))
        .filter(Boolean)
        .join(' to '),
    ),
    ...actors,
    conceptText(appointmentType),
  ].filter(Boolean)
  return (
    <Group className="row" justify="space-between" wrap="nowrap" p="xs" gap="sm">
      <Stack gap={0} miw={0}>
        <Text size="sm" fw={600} className="name cut">
          <bdi>{name}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          <bdi>{wants.join(' · ') || 'any time'}</bdi>
          {created === undefined ? '' : ` · since ${timeText(created, timeZone)}`}
        </Text>
      </Stack>
      <Button size="compact-sm" variant="default" flex="none" onClick={onBook}>
        Book…
      </Button>
    </Group>
  )
}
