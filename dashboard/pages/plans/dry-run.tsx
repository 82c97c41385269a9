/** A plan tried on requests that the journal has: nothing is stored. */
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { now } from '../../api/clock.ts'
import { dryRun, type Recorded } from '../../api/plans.ts'
import type { Judged } from '../../api/rehearsal-answers.ts'
import { runsOf } from '../../api/runs.ts'
import { timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { JudgedSteps } from '../../parts/judged-steps.tsx'
import { WhenRead } from '../../parts/page-states.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'

const HOUR = 3_600_000
/** Milliseconds back from now. */
const SPANS: Readonly<Record<string, number>> = { 'last hour': HOUR, 'last day': 24 * HOUR, 'last week': 168 * HOUR }

interface DryRunProps {
  /** The plan, or its name, when it is tried. @throws SyntaxError where it cannot be read */
  readonly plan: () => unknown
}

export function DryRun({ plan }: DryRunProps) {
  const { id, timeZone } = useClinic()
  const query = useQuery(runsOf(id))
  const { data: runs = [] } = query
  const [of, setOf] = useState('last hour')
  const [call, setCall] = useState('')
  const [judged, setJudged] = useState<Judged>()
  const { error, isBusy, submit } = useSubmit(async () => {
    setJudged(undefined)
    setJudged(await dryRun(id, plan(), recordedBy(of, call)))
  })
  const choices = [
    {
      group: 'All requests of the clinic',
      items: Object.keys(SPANS).map((span) => ({ value: span, label: `of the ${span}` })),
    },
    { group: 'One call', items: [{ value: CALL, label: 'by its id' }] },
    {
      group: 'A run',
      items: runs.map(({ run, title, client, startedAt }) => ({
        value: run,
        label: `${title}: ${client}, ${timeText(startedAt, timeZone)}`,
      })),
    },
  ]
  return (
    <WhenRead queries={[query]}>
      <Stack>
        <form onSubmit={submit} aria-label="Dry run">
          <Stack gap="sm">
            <Group align="end" gap="sm">
              <NativeSelect
                label="Recorded requests"
                data={choices}
                value={of}
                onChange={({ currentTarget: { value } }) => setOf(value)}
              />
              {of === CALL && (
                <TextInput
                  label="Id of the call"
                  required
                  value={call}
                  onChange={({ currentTarget: { value } }) => setCall(value)}
                />
              )}
              <Button type="submit" variant="default" loading={isBusy}>
                Try the plan
              </Button>
            </Group>
            <FormError text={error} />
          </Stack>
        </form>
        {judged !== undefined && <Outcome judged={judged} />}
      </Stack>
    </WhenRead>
  )
}

/** In place of a run or a span. */
const CALL = 'call'

function recordedBy(of: string, call: string): Recorded {
  if (of === CALL) return { call: call.trim() }
  const span = SPANS[of]
  return span === undefined ? { run: of } : { since: new Date(now() - span).toISOString() }
}

function Outcome({ judged: { steps, traffic, notes } }: { readonly judged: Judged }) {
  const passed = steps.filter(({ result }) => result === 'pass').length
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {passed} of {steps.length} steps pass by {traffic.exchanges.toLocaleString('en')} requests. Nothing is stored.
      </Text>
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
      <JudgedSteps steps={steps} />
    </Stack>
  )
}
