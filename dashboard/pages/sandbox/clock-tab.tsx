/** The clinic's clock: forward by steps or to a time, standing still or running. docs/clock.md */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { clinicNow, isRealTime, now } from '../../api/clock.ts'
import { type ClockChange, clockOf, useSetClock } from '../../api/rehearsal.ts'
import type { Clock } from '../../api/rehearsal-answers.ts'
import { dayText, fieldTimeOf, relativeText, secondsText, wallTime } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { ErrorView, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useEvery } from '../../parts/use-every.ts'
import { useMayChange } from '../../parts/use-may-change.ts'

const STEPS = [
  { by: 'PT1H', label: '1 hour' },
  { by: 'P1D', label: '1 day' },
  { by: 'P7D', label: '1 week' },
]

export function ClockTab() {
  const { id } = useClinic()
  const mayChange = useMayChange()
  const query = useQuery(clockOf(id))
  return (
    <Loaded query={{ ...query, data: query.data ?? undefined }} rows={4}>
      {(clock) => (
        <Stack>
          <Panel title="Time of the clinic">
            <Hands clock={clock} />
          </Panel>
          {mayChange && <Controls clock={clock} />}
          <Text size="sm" c="dimmed" maw={640}>
            Calls, bookings, free times, holds and reminders go by this clock, and so does this dashboard. When
            resources were last changed, sessions and the journal go by the real time. It goes forward; a reset sets it
            back.
          </Text>
        </Stack>
      )}
    </Loaded>
  )
}

function Hands({ clock }: { readonly clock: Clock }) {
  const { timeZone } = useClinic()
  useEvery(1_000)
  const text = (at: number) => `${dayText(at, timeZone)}, ${secondsText(at, timeZone)}`
  const facts: readonly Fact[] = [
    [
      'Clinic',
      <span key="clinic" className="number">{`${text(clinicNow())}${clock.runs ? '' : ', standing still'}`}</span>,
    ],
    [
      'Real time',
      <span key="real" className="number">
        {text(now())}
      </span>,
    ],
    ['Difference', isRealTime() ? 'none' : differenceText(clinicNow(), now())],
    ['Clocks change', clock.nextDaylightSaving === undefined ? 'never' : dayText(clock.nextDaylightSaving, timeZone)],
  ]
  return <Facts facts={facts} />
}

/** `2 days ahead`; a clock that stands still falls behind. */
const differenceText = (clinic: number, real: number): string =>
  relativeText(clinic, real)
    .replace(/^in (.*)/, '$1 ahead')
    .replace(/ ago$/, ' behind')

function Controls({ clock }: { readonly clock: Clock }) {
  const { id, timeZone } = useClinic()
  const set = useSetClock(id)
  const change = (next: ClockChange) => set.mutate(next)
  const { nextDaylightSaving, runs } = clock
  return (
    <Panel title="Set it">
      <Stack gap="sm">
        <Group gap="sm">
          {STEPS.map(({ by, label }) => (
            <Button key={by} variant="default" disabled={set.isPending} onClick={() => change({ by })}>
              Forward by {label}
            </Button>
          ))}
          {nextDaylightSaving !== undefined && (
            <Button variant="default" disabled={set.isPending} onClick={() => change({ at: nextDaylightSaving })}>
              Next daylight-saving night
            </Button>
          )}
          <Button variant="default" disabled={set.isPending} onClick={() => change({ runs: !runs })}>
            {runs ? 'Let it stand still' : 'Let it run'}
          </Button>
        </Group>
        <ToATime zone={timeZone} isBusy={set.isPending} onSet={(at) => change({ at })} />
        {set.error !== null && <ErrorView error={set.error} />}
      </Stack>
    </Panel>
  )
}

interface ToATimeProps {
  readonly zone: string
  readonly isBusy: boolean
  readonly onSet: (at: string) => void
}

function ToATime({ zone, isBusy, onSet }: ToATimeProps) {
  const [naive, setNaive] = useState(() => fieldTimeOf(clinicNow(), zone))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSet(wallTime(`${naive}:00`, zone))
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <TextInput
          type="datetime-local"
          label="To a time of the clinic"
          required
          value={naive}
          onChange={({ currentTarget: { value } }) => setNaive(value)}
        />
        <Button type="submit" variant="default" disabled={isBusy || naive === ''}>
          Set it
        </Button>
      </Group>
    </form>
  )
}
