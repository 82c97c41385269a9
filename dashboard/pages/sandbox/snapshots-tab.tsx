/** Snapshots of the clinic: saved, restored, removed. docs/snapshots.md */
import { Button, Group, Stack, Table, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { removeSnapshot, saveSnapshot, snapshotPath, snapshotsOf } from '../../api/rehearsal.ts'
import type { Snapshot } from '../../api/rehearsal-answers.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { Time } from '../../parts/times.tsx'
import { doLater } from '../../parts/undo.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'

interface SnapshotsTabProps {
  readonly onRestore: (name: string) => void
}

export function SnapshotsTab({ onRestore }: SnapshotsTabProps) {
  const { id } = useClinic()
  const mayChange = useMayChange()
  const query = useQuery(snapshotsOf(id))
  return (
    <Stack>
      {mayChange && <SaveForm />}
      <Loaded query={query}>
        {(snapshots) =>
          snapshots.length === 0 ? (
            <Empty icon="copy" title="There are no snapshots">
              A snapshot keeps the clinic as it is now, and brings it back whenever you want.
            </Empty>
          ) : (
            <SnapshotTable snapshots={snapshots} onRestore={onRestore} />
          )
        }
      </Loaded>
    </Stack>
  )
}

function SaveForm() {
  const { id } = useClinic()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    const { resources } = await saveSnapshot(id, name.trim())
    await client.invalidateQueries({ queryKey: snapshotsOf(id).queryKey })
    setName('')
    notifications.show({ message: `${name.trim()} is saved: ${resources.toLocaleString('en')} resources.` })
  })
  const { question } = useUnsaved(name.trim() !== '' && !isBusy, { leftBy: ({ tab }) => tab })
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="end" gap="sm">
          <TextInput
            label="Name of the snapshot"
            placeholder="before-the-demo"
            required
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
          />
          <Button type="submit" loading={isBusy}>
            Save the clinic as it is
          </Button>
        </Group>
        <FormError text={error} />
        {question}
      </Stack>
    </form>
  )
}

function SnapshotTable({ snapshots, onRestore }: { readonly snapshots: readonly Snapshot[] } & SnapshotsTabProps) {
  const { id } = useClinic()
  const mayChange = useMayChange()
  const client = useQueryClient()
  const [removed, setRemoved] = useState<readonly string[]>([])
  const remove = (name: string) => {
    const back = () => setRemoved((before) => before.filter((one) => one !== name))
    const act = async () => {
      await removeSnapshot(id, name).finally(back)
      await client.invalidateQueries({ queryKey: snapshotsOf(id).queryKey })
    }
    setRemoved((before) => [...before, name])
    doLater(`The snapshot ${name} is removed.`, { things: [snapshotPath(id, name)], act, undone: back })
  }
  return (
    <ListTable
      titles={['Name', 'Saved', 'By', 'Resources', 'Scenario', 'Server', ...(mayChange ? ['Actions'] : [])]}
      minWidth={640}
    >
      {snapshots
        .filter(({ name }) => !removed.includes(name))
        .map(({ name, at, by, resources, scenario, serverVersion }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">
              <bdi>{name}</bdi>
            </Table.Th>
            <Table.Td>
              <Time at={at} />
            </Table.Td>
            <Table.Td>{by}</Table.Td>
            <Table.Td className="number">{resources.toLocaleString('en')}</Table.Td>
            <Table.Td>{scenario}</Table.Td>
            <Table.Td>{serverVersion}</Table.Td>
            {mayChange && (
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Restore ${name}…`}
                    onClick={() => onRestore(name)}
                  >
                    Restore…
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Remove ${name}`}
                    onClick={() => remove(name)}
                  >
                    Remove
                  </Button>
                </Group>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
    </ListTable>
  )
}
