/** The inputs of a Task: facts about the call, and the slot that is offered. */
import { Stack, Title } from '@mantine/core'
import type { Slot, Task, TaskInput } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { callName } from '../../fhir/calls.ts'
import { referenceParts, referenceText, statusText } from '../../fhir/names.ts'
import { callOf, inputCodeOf, inputLabel, inputText, inWords, missingOf } from '../../fhir/task-words.ts'
import { dayOf, timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { PageLink } from '../../parts/links.tsx'
import { PatientLink } from './who-it-is-for.tsx'

export function Inputs({ task }: { readonly task: Task }) {
  const { input = [], encounter } = task
  if (input.length === 0 && encounter === undefined) return null
  const given = input.filter((one) => inputCodeOf(one) !== 'missing-field')
  const call: readonly Fact[] =
    encounter?.reference === undefined || callOf(task) !== undefined
      ? []
      : [['Call', <ReferenceLink key="call" reference={encounter.reference} label="The call" />]]
  return (
    <Stack gap="xs" component="section" aria-label="Attached">
      <Title order={3} size="h6">
        Attached
      </Title>
      <Facts
        facts={[...call, ...given.map((one): Fact => [inputLabel(one), valueText(one)]), ['Missing', missingOf(task)]]}
      />
    </Stack>
  )
}

function valueText(input: TaskInput) {
  const { valueReference, valueString } = input
  const reference = valueReference?.reference
  if (reference !== undefined) return <ReferenceLink reference={reference} label={referenceText(valueReference)} />
  if (valueString !== undefined && inputCodeOf(input) === 'call-id')
    return (
      <PageLink to="/calls" search={{ call: valueString }}>
        {callName(valueString)}
      </PageLink>
    )
  return <bdi>{inputText(input) ?? JSON.stringify({ ...input, type: undefined })}</bdi>
}

function ReferenceLink({ reference, label }: { readonly reference: string; readonly label: string }) {
  const { type, id } = referenceParts(reference) ?? {}
  if (type === 'Slot' && id !== undefined) return <OfferedSlot id={id} />
  if (type === 'Patient' && id !== undefined) return <PatientLink id={id} />
  if (type === undefined) return <bdi>{label}</bdi>
  return (
    <PageLink to="/explorer" search={{ open: `${type}/${id}` }}>
      <bdi>{label === reference ? inWords(type) : label}</bdi>
    </PageLink>
  )
}

/** The time of the slot, with a link to that day of the schedule. */
function OfferedSlot({ id }: { readonly id: string }) {
  const { timeZone } = useClinic()
  const { data, error } = useGet<Slot>(`Slot/${id}`)
  if (data === undefined) return <>{error ? 'a slot that is gone' : '…'}</>
  const { start, status } = data
  if (start === undefined) return <>a slot that has no time</>
  const schedule = referenceParts(data.schedule.reference)?.id
  return (
    <PageLink to="/schedule" search={{ day: dayOf(start, timeZone), who: schedule }}>
      {timeText(start, timeZone)} ({statusText(status)})
    </PageLink>
  )
}
