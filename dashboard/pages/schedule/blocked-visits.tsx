/** The visits in time that is blocked, and what becomes of each. */
import { Alert, NativeSelect, Stack, Text } from '@mantine/core'
import type { FreeTime } from '../../fhir/free-times.ts'
import { timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { ErrorView } from '../../parts/page-states.tsx'
import classes from './schedule.module.css'
import type { Block, Blocked, Choice } from './use-block.ts'
import type { Column } from './use-plan.ts'

interface BlockedVisitsProps {
  readonly block: Block
  readonly columns: readonly Column[]
}

export function BlockedVisits({ block, columns }: BlockedVisitsProps) {
  const { visits, isPending, isCut, loadError, choose } = block
  if (loadError !== null) return <ErrorView error={loadError} />
  if (isPending) {
    return (
      <Text size="sm" c="dimmed" role="status">
        Looking for visits in this time.
      </Text>
    )
  }
  return (
    <section aria-label="Visits in this time">
      <Text size="sm" fw={600} role="status" mb={4}>
        {countText(visits.length)}
      </Text>
      {isCut && <Alert p="xs">There are more visits than are shown here; block a shorter time.</Alert>}
      <Stack gap={0} mah={300} style={{ overflowY: 'auto' }} className={visits.length === 0 ? '' : 'card'}>
        {visits.map((one) => (
          <BlockedRow
            key={one.visit.id}
            blocked={one}
            columns={columns}
            onChoose={(choice) => choose(one.visit.id, choice)}
          />
        ))}
      </Stack>
      {visits.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          Patients are told as for every visit that is moved or cancelled.
        </Text>
      )}
    </section>
  )
}

const countText = (count: number): string =>
  count === 0
    ? 'No visits are booked in this time.'
    : `${count} ${count === 1 ? 'visit is' : 'visits are'} in this time:`

interface RowProps {
  readonly blocked: Blocked
  readonly columns: readonly Column[]
  readonly onChoose: (choice: Choice) => void
}

function BlockedRow({ blocked, columns, onChoose }: RowProps) {
  const { timeZone } = useClinic()
  const { visit, times, choices, choice, problem } = blocked
  const when = (time: FreeTime | undefined) => timeText(time?.start, timeZone)
  const whoOf = (time: FreeTime | undefined) => columns.find(({ id }) => id === time?.schedule)?.label ?? ''
  const texts: Readonly<Record<Choice, string>> = {
    same: `Move to ${when(times.same)}`,
    other: `Move to ${when(times.other)}, ${whoOf(times.other)}`,
    cancel: 'Cancel the visit',
    leave: 'Leave it as it is',
  }
  return (
    <div className={`row ${classes.blocked}`}>
      <NativeSelect
        label={
          <>
            {timeText(visit.start, timeZone)}: <bdi>{visit.patient}</bdi>
          </>
        }
        data={choices.map((value) => ({ value, label: texts[value] }))}
        value={choice}
        error={problem}
        onChange={({ currentTarget: { value } }) => onChoose(value as Choice)}
      />
    </div>
  )
}
