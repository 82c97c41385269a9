/** The form: hours of the week, breaks, special days, absences, kinds of visits. */
import { NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { Schedule } from 'fhir/r4'
import type { Availability } from '../../fhir/availability.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Conflict } from '../../parts/conflict.tsx'
import { Empty } from '../../parts/page-states.tsx'
import { NotSaved, SaveBar } from '../../parts/save-bar.tsx'
import { AbsenceRow, BreakRow, SpecialRow, TypeRow, WeeklyRow } from './hours-rows.tsx'
import { labelOfHours, textOfHours } from './hours-text.ts'
import { PartList } from './part-list.tsx'
import { type HoursProblem, useHours } from './use-hours.ts'

export function HoursForm({ schedule }: { readonly schedule: Schedule }) {
  const form = useHours(schedule)
  const { value: hours, setValue: setHours, problems } = form
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void form.save()
      }}
    >
      <Stack gap="lg" maw={900}>
        {hours.weekly.length === 0 && (
          <Empty icon="clock" title="There are no working hours yet">
            Add the hours of the week below; the server makes free times of them.
          </Empty>
        )}
        <Basics hours={hours} onChange={setHours} problems={problems} />
        <Lists hours={hours} onChange={setHours} problems={problems} />
        <NotSaved problems={problems.flatMap(({ place, text }) => (place === undefined ? text : []))} />
        <SaveBar isBusy={form.isBusy} isChanged={form.isChanged} onReset={form.reset} />
      </Stack>
      {form.conflict && <Conflict {...form.conflict} labelOf={labelOfHours} textOf={textOfHours} />}
    </form>
  )
}

interface PartProps {
  readonly hours: Availability
  readonly onChange: (hours: Availability) => void
  readonly problems: readonly HoursProblem[]
}

function Basics({ hours, onChange, problems }: PartProps) {
  const { timeZone } = useClinic()
  const errorAt = (place: string) => problems.find((one) => one.place === place)?.text
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <NumberInput
        label="Minutes per slot"
        required
        min={5}
        max={1440}
        value={hours.slotMinutes}
        error={errorAt('slotMinutes')}
        onChange={(value) => onChange({ ...hours, slotMinutes: String(value) })}
      />
      <NumberInput
        label="Days ahead"
        min={1}
        max={366}
        value={hours.horizonDays}
        error={errorAt('horizonDays')}
        onChange={(value) => onChange({ ...hours, horizonDays: String(value) })}
      />
      <TextInput
        label="Time zone"
        placeholder={`${timeZone}, as the clinic`}
        value={hours.timeZone}
        error={errorAt('timeZone')}
        onChange={({ currentTarget: { value } }) => onChange({ ...hours, timeZone: value.trim() })}
      />
    </SimpleGrid>
  )
}

function Lists({ hours, onChange, problems }: PartProps) {
  const codes = hours.types.map(({ code }) => code).filter(Boolean)
  const shared = { problems, hours, onChange }
  return (
    <>
      <PartList
        {...shared}
        name="weekly"
        title="Hours of the week"
        add="Add hours"
        fresh={{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', until: '17:00', type: '' }}
        row={(props) => <WeeklyRow {...props} codes={codes} />}
      />
      <PartList
        {...shared}
        name="breaks"
        title="Breaks"
        note="Without days: every day."
        add="Add a break"
        fresh={{ days: [], from: '12:00', until: '13:00' }}
        row={(props) => <BreakRow {...props} />}
      />
      <PartList
        {...shared}
        name="special"
        title="Special days"
        note="In place of the hours and breaks of that day."
        add="Add a special day"
        fresh={{ date: '', from: '09:00', until: '12:00', type: '', description: '' }}
        row={(props) => <SpecialRow {...props} codes={codes} />}
      />
      <PartList
        {...shared}
        name="absences"
        title="Holidays and absences"
        add="Add an absence"
        fresh={{ start: '', end: '', description: '' }}
        row={(props) => <AbsenceRow {...props} />}
      />
      <PartList
        {...shared}
        name="types"
        title="Kinds of visits"
        note="With a length of their own, and time kept free around them."
        add="Add a kind of visit"
        fresh={{ system: '', code: '', display: '', minutes: '30', before: '', after: '' }}
        row={(props) => <TypeRow {...props} />}
      />
    </>
  )
}
