/** Menus that act on Tasks, one or several: claim, assign, snooze, complete. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Task } from 'fhir/r4'
import { useState } from 'react'
import { type Colleague, colleaguesOf } from '../../api/accounts.ts'
import { clinicNow } from '../../api/clock.ts'
import { addDays, clockText, dayOf, fieldTimeOf, timeText, wallTime } from '../../fhir/time.ts'
import { ActionList } from '../../parts/action-list.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { tellProblem } from '../../parts/undo.tsx'
import { assignOne, claimOne, completeOne, snoozeOne } from './task-actions.ts'
import { useBulk } from './use-bulk.ts'

interface ActedOn {
  readonly tasks: readonly Task[]
  readonly onDone?: () => void
}

export function TaskButtons({ tasks, onDone }: ActedOn) {
  const { isBusy, doAll } = useBulk()
  const act = async (said: string, one: (task: Task) => Promise<Task>) => {
    await doAll(tasks, said, one)
    onDone?.()
  }
  const claim = () => act('yours', ({ id = '' }) => claimOne(id))
  const complete = () => act('completed', ({ id = '' }) => completeOne(id, { code: 'done', text: 'Done', note: '' }))
  return (
    <Group gap="xs">
      <Button size="xs" disabled={isBusy} onClick={claim}>
        Claim them
      </Button>
      <AssignMenu onAssign={(to) => act(`assigned to ${to.name}`, (task) => assignOne(task, to))} />
      <SnoozeMenu onSnooze={(until, said) => act(said, (task) => snoozeOne(task, until))} />
      <Button size="xs" variant="default" disabled={isBusy} onClick={complete}>
        Complete as done
      </Button>
    </Group>
  )
}

interface AssignMenuProps {
  readonly onAssign: (to: Colleague) => void
}

/** Absent where the accounts are those of another issuer. */
export function AssignMenu({ onAssign }: AssignMenuProps) {
  const { id } = useClinic()
  const { data: colleagues } = useQuery(colleaguesOf(id))
  if (colleagues === undefined) return null
  const isShared = (name: string) => colleagues.filter((one) => one.name === name).length > 1
  return (
    <ActionList
      label="Assign to…"
      icon="patients"
      actions={colleagues.map((account) => ({
        label: account.name,
        ...(isShared(account.name) ? { note: account.username } : {}),
        run: () => onAssign(account),
      }))}
    />
  )
}

interface SnoozeMenuProps {
  /** @param until FHIR's instant. @param said `snoozed until …`. @throws the refusal */
  readonly onSnooze: (until: string, said: string) => Promise<void>
  /** Tells a refusal, unless a dialog of the menu does. */
  readonly onError?: (problem: unknown) => void
}

/** The wall time at which a working day begins, for what is put off to another day. */
const MORNING = 'T08:00:00'
const HOUR = 3_600_000

export function SnoozeMenu({ onSnooze, onError = tellProblem }: SnoozeMenuProps) {
  const { timeZone } = useClinic()
  const [isChoosing, setChoosing] = useState(false)
  const now = clinicNow()
  const today = dayOf(now, timeZone)
  const times = [
    { label: 'For an hour', at: new Date(now + HOUR).toISOString() },
    { label: 'For four hours', at: new Date(now + 4 * HOUR).toISOString() },
    { label: 'Until tomorrow', at: wallTime(addDays(today, 1) + MORNING, timeZone) },
    { label: 'For a week', at: wallTime(addDays(today, 7) + MORNING, timeZone) },
  ]
  const snooze = (at: string) => onSnooze(at, `snoozed until ${timeText(at, timeZone)}`)
  return (
    <>
      <ActionList
        label="Snooze…"
        icon="clock"
        actions={[
          ...times.map(({ label, at }) => ({
            label: `${label}, ${clockText(at, timeZone)}`,
            run: () => void snooze(at).catch(onError),
          })),
          { label: 'Until a time…', run: () => setChoosing(true) },
        ]}
      />
      {isChoosing && <SnoozeUntil onClose={() => setChoosing(false)} onSnooze={snooze} />}
    </>
  )
}

interface SnoozeUntilProps {
  readonly onClose: () => void
  readonly onSnooze: (at: string) => Promise<void>
}

function SnoozeUntil({ onClose, onSnooze }: SnoozeUntilProps) {
  const { timeZone } = useClinic()
  const [naive, setNaive] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    await onSnooze(wallTime(`${naive}:00`, timeZone))
    onClose()
  })
  return (
    <Modal opened onClose={onClose} title="Snooze until">
      <form
        onSubmit={(event) => {
          event.stopPropagation()
          void submit(event)
        }}
      >
        <Stack>
          <TextInput
            type="datetime-local"
            label="Time of the clinic"
            required
            data-autofocus
            min={fieldTimeOf(clinicNow(), timeZone)}
            value={naive}
            onChange={({ currentTarget: { value } }) => setNaive(value)}
          />
          <FormError text={error} />
          <Button type="submit" w="fit-content" loading={isBusy}>
            Snooze
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
