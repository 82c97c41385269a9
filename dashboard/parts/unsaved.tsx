/** Asks before a form with changes is left: by another page, by closing its dialog, or with the window. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { nestedDialog } from './nested-dialog.ts'

interface Leaving {
  /** Closes the dialog that the form is in. */
  readonly onClose?: () => void
  /** Filters in the address whose change closes the form, as another page does. */
  readonly leftBy?: readonly string[]
}

/**
 * @param isChanged whether something would be lost
 * @returns the question, to be placed in the form, and what closes its dialog unless there is something to ask
 */
export function useUnsaved(isChanged: boolean, { onClose, leftBy = [] }: Leaving = {}) {
  const [isClosing, setClosing] = useState(false)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged && (current.pathname !== next.pathname || leftBy.some((name) => at(current, name) !== at(next, name))),
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  const close = () => (isChanged ? setClosing(true) : onClose?.())
  const stay = () => {
    setClosing(false)
    blocker.reset?.()
  }
  const leave = () => {
    if (blocker.status === 'blocked') blocker.proceed()
    else onClose?.()
  }
  const isAsking = isClosing || blocker.status === 'blocked'
  const question: ReactNode = isAsking && <Question onStay={stay} onLeave={leave} />
  return { close, question }
}

const at = ({ search }: { readonly search: unknown }, name: string): string =>
  (search as Readonly<Record<string, string>>)[name] ?? ''

const Question = ({ onStay, onLeave }: { readonly onStay: () => void; readonly onLeave: () => void }) => (
  <Modal opened onClose={onStay} title="Leave without saving?" {...nestedDialog(onStay)}>
    <Stack>
      <Text size="sm">What you have changed here is not saved.</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onLeave}>
          Leave
        </Button>
        <Button data-autofocus onClick={onStay}>
          Stay
        </Button>
      </Group>
    </Stack>
  </Modal>
)
