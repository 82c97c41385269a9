/** A conflict with another user's save: both versions side by side, to choose which values to keep. */
import { Button, Group, Modal, Radio, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { type Difference, differencesOf, merged } from './merge-versions.ts'

interface ConflictProps {
  /** As it was before either change, as I want it, and as it is now. */
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
  readonly labelOf: (path: string) => string
  readonly textOf: (value: unknown, path: string) => string
  /** Goes back to the form, where mine is as it was. */
  readonly onClose: () => void
  readonly onSave: (whole: unknown) => void
  readonly isBusy: boolean
}

export function Conflict({ base, mine, theirs, labelOf, textOf, onClose, onSave, isBusy }: ConflictProps) {
  const differences = differencesOf(base, mine, theirs)
  const [chosen, setChosen] = useState<Readonly<Record<string, 'mine' | 'theirs'>>>({})
  const choiceOf = ({ path, isMine }: Difference) => chosen[path] ?? (isMine ? 'mine' : 'theirs')
  const save = () => {
    const mineAt = new Set(differences.filter((one) => choiceOf(one) === 'mine').map(({ path }) => path))
    onSave(merged(theirs, differences, (path) => mineAt.has(path)))
  }
  return (
    <Modal opened onClose={onClose} title="Somebody else has saved meanwhile" size="xl">
      <Stack>
        <Text size="sm">Nothing is lost: choose what is to be kept of each. Nothing is saved until you say so.</Text>
        <Table.ScrollContainer minWidth={480}>
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What differs</Table.Th>
                <Table.Th>Yours</Table.Th>
                <Table.Th>Theirs, as it is now</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {differences.map((one) => (
                <Table.Tr key={one.path}>
                  <Table.Th scope="row" fw={600}>
                    {labelOf(one.path)}
                    {one.isContested && (
                      <Text size="xs" c="dimmed" fw={400}>
                        both have changed it
                      </Text>
                    )}
                  </Table.Th>
                  {(['mine', 'theirs'] as const).map((side) => (
                    <Table.Td key={side}>
                      <Radio
                        name={one.path}
                        checked={choiceOf(one) === side}
                        onChange={() => setChosen({ ...chosen, [one.path]: side })}
                        label={textOf(one[side], one.path)}
                        styles={{ label: { whiteSpace: 'pre-line' } }}
                      />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Back to the form
          </Button>
          <Button loading={isBusy} onClick={save}>
            Save what is chosen
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
