/** Asks before a form with changes is left: by another page, by closing its dialog, or with the window. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { nestedDialog } from './nested-dialog.ts'

/** The value of a filter in the address, or of several, whose change closes the form, as another page does. */
export type LeftBy = (filters: Readonly<Record<string, string | undefined>>) => string | undefined

interface Leaving {
  /** Closes the dialog that the form is in. */
  readonly onClose?: () => void
  readonly leftBy?: LeftBy
}

const NOTHING: LeftBy = () => undefined

/**
 * @param isChanged whether something would be lost
 * @returns the question, to be placed in the form; what closes its dialog unless there is something to ask; and what lets the
 * form be left without a question, where what was typed is not needed any more
 */
export function useUnsaved(isChanged: boolean, { onClose, leftBy = NOTHING }: Leaving = {}) {
  const [isClosing, setClosing] = useState(false)
  const isReleased = useRef(false)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged &&
      !isReleased.current &&
      (current.pathname !== next.pathname || leftBy(current.search) !== leftBy(next.search)),
    enableBeforeUnload: () => isChanged && !isReleased.current,
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
  const release = () => {
    isReleased.current = true
  }
  return { close, question, release }
}

/** The same for a dialog that the filter `new` of the address keeps open, so that to close it is to leave what is typed. */
export function useUnsavedNew(isChanged: boolean, onClose: () => void) {
  const { question, close, release } = useUnsaved(isChanged, {
    onClose: () => {
      release()
      onClose()
    },
    leftBy: ({ new: isNew }) => isNew,
  })
  return { question, close }
}

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
