/** Asks before a reset, which cannot be undone: what goes, what stays, and how far it is. */
import { Alert, Button, Checkbox, Group, List, Modal, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { resetOf, useReset } from '../../api/rehearsal.ts'
import type { ResetPreview, ResetTarget, RunningReset } from '../../api/rehearsal-answers.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { Time } from '../../parts/times.tsx'

interface ResetDialogProps {
  readonly target: ResetTarget
  readonly onClose: () => void
}

export function ResetDialog({ target, onClose }: ResetDialogProps) {
  const { id } = useClinic()
  const name = target.scenario ?? target.snapshot ?? ''
  const isToScenario = target.snapshot === undefined
  const [settings, setSettings] = useState(false)
  const preview = useQuery(resetOf(id))
  const reset = useReset(id)
  const { error, isBusy, submit } = useSubmit(async () => {
    const { resources, ms } = await reset.mutateAsync({ ...target, ...(settings ? { settings } : {}) })
    onClose()
    notifications.show({ message: `The clinic is ${name}: ${resources.toLocaleString('en')} resources in ${ms} ms.` })
  })
  const running = preview.data?.running
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnEscape={!isBusy}
      closeOnClickOutside={!isBusy}
      title={isToScenario ? `Reset to ${name}` : `Restore the snapshot ${name}`}
    >
      <form onSubmit={submit}>
        <Stack>
          <Loaded query={preview} rows={4}>
            {(data) => <Consequences preview={data} mayTakeSettings={isToScenario} />}
          </Loaded>
          {isToScenario && (
            <Checkbox
              label="The settings of the scenario too"
              description="Those that it has take the place of the clinic's."
              checked={settings}
              onChange={({ currentTarget: { checked } }) => setSettings(checked)}
            />
          )}
          {running !== undefined && <UnderWay running={running} isOwn={isBusy} />}
          <FormError text={error} />
          <Group justify="flex-end">
            <Button variant="default" disabled={isBusy} onClick={onClose}>
              Keep it as it is
            </Button>
            <Button type="submit" color="red" loading={isBusy} disabled={running !== undefined && !isBusy}>
              {isToScenario ? 'Reset the clinic' : 'Restore the snapshot'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Types that are named; the others are counted together. */
const NAMED = 6

interface ConsequencesProps {
  readonly preview: ResetPreview
  /** A snapshot has no settings. */
  readonly mayTakeSettings: boolean
}

function Consequences({ preview: { counts }, mayTakeSettings }: ConsequencesProps) {
  const byCount = Object.entries(counts).sort(([, one], [, other]) => other - one)
  const others = byCount.slice(NAMED)
  const total = byCount.reduce((sum, [, count]) => sum + count, 0)
  const text = (count: number) => count.toLocaleString('en')
  return (
    <Stack gap="xs">
      <Text size="sm">
        All {text(total)} resources of the clinic go, with their versions and with what its calls remember. This is not
        undone: save a snapshot first to come back to them.
      </Text>
      <List size="sm">
        {byCount.slice(0, NAMED).map(([type, count]) => (
          <List.Item key={type}>
            {text(count)} {type}
          </List.Item>
        ))}
        {others.length > 0 && (
          <List.Item>
            {text(others.reduce((sum, [, count]) => sum + count, 0))} others ({others.map(([type]) => type).join(', ')})
          </List.Item>
        )}
      </List>
      <Text size="sm">
        Accounts, the journal, the audit trail and snapshots stay; so do settings
        {mayTakeSettings ? ', unless you tick them.' : '.'}
      </Text>
    </Stack>
  )
}

function UnderWay({
  running: { by, since, done, total },
  isOwn,
}: {
  readonly running: RunningReset
  readonly isOwn: boolean
}) {
  const share = total > 0 ? Math.min(100, (100 * done) / total) : 100
  return (
    <Stack gap="xs" role="status">
      {!isOwn && (
        <Alert>
          <bdi>{by}</bdi> has been resetting the clinic since <Time at={since} />.
        </Alert>
      )}
      <Progress value={share} animated={total === 0} aria-label="Resources stored" />
    </Stack>
  )
}
