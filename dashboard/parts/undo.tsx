/** What was done can be taken back for a while; nobody is asked before whether they are sure. */
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

const OFFERED_FOR = 8000

/** @param said what was done @param undo takes it back */
export function offerUndo(said: string, undo: () => unknown): void {
  const id = notifications.show({
    autoClose: OFFERED_FOR,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{said}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}
