/** Menus that act on Tasks, one or several: claim, assign, snooze, complete. */
import { Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Task } from 'fhir/r4'
import { useState } from 'react'
import { accountsOf } from '../../api/accounts.ts'
import { clinicNow } from '../../api/clock.ts'
import { addDays, clockText, dayOf, naiveOf, timeText, wallTime } from '../../fhir/time.ts'
import { useClinic, useUser } from '../../parts/clinic-context.tsx'
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
      <AssignMenu size="xs" onAssign={(to) => act(`assigned to ${to.name}`, (task) => assignOne(task, to))} />
      <SnoozeMenu size="xs" onSnooze={(until, said) => act(said, (task) => snoozeOne(task, until))} />
      <Button size="xs" variant="default" disabled={isBusy} onClick={complete}>
        Complete as done
      </Button>
    </Group>
  )
}

interface AssignMenuProps {
  readonly size?: string
  readonly onAssign: (to: { readonly username: string; readonly name: string }) => void
}

/** For admins: staff may not read who the accounts of the clinic are. */
export function AssignMenu({ size = 'sm', onAssign }: AssignMenuProps) {
  const { id } = useClinic()
  const { role } = useUser()
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery({ ...accountsOf(id), enabled: isOpen })
  if (role !== 'admin') return null
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-start">
      <Menu.Target>
        <Button size={size} variant="default">
          Assign to…
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {error !== null && <Menu.Label>{error.message}</Menu.Label>}
        {data?.accounts
          .filter(({ enabled }) => enabled)
          .map((account) => (
            <Menu.Item key={account.username} onClick={() => onAssign(account)}>
              <bdi>{account.name}</bdi>
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface SnoozeMenuProps {
  readonly size?: string
  /** @param until FHIR's instant. @param said `snoozed until …` */
  readonly onSnooze: (until: string, said: string) => void
}

/** The wall time at which a working day begins, for what is put off to another day. */
const MORNING = 'T08:00:00'
const HOUR = 3_600_000

export function SnoozeMenu({ size = 'sm', onSnooze }: SnoozeMenuProps) {
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
      <Menu position="bottom-start">
        <Menu.Target>
          <Button size={size} variant="default">
            Snooze…
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {times.map(({ label, at }) => (
            <Menu.Item key={label} onClick={() => snooze(at)}>
              {label}, {clockText(at, timeZone)}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setChoosing(true)}>Until a time…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChoosing && <SnoozeUntil onClose={() => setChoosing(false)} onSnooze={snooze} />}
    </>
  )
}

function SnoozeUntil({ onClose, onSnooze }: { readonly onClose: () => void; readonly onSnooze: (at: string) => void }) {
  const { timeZone } = useClinic()
  const now = naiveOf(clinicNow(), timeZone).replace(' ', 'T').slice(0, 16)
  const [naive, setNaive] = useState('')
  return (
    <Modal opened onClose={onClose} title="Snooze until">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          onClose()
          onSnooze(wallTime(`${naive}:00`, timeZone))
        }}
      >
        <Stack>
          <TextInput
            type="datetime-local"
            label="Time of the clinic"
            required
            data-autofocus
            min={now}
            value={naive}
            onChange={({ currentTarget: { value } }) => setNaive(value)}
          />
          <Button type="submit" w="fit-content">
            Snooze
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
