/** What was done, with a way back for a while, in place of "are you sure". */
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

/** Milliseconds. */
const WHILE = 8000

/** @param undo takes it back; what it throws is told */
export function offerUndo(said: ReactNode, undo: () => unknown): void {
  const id = notifications.show({ autoClose: WHILE, withCloseButton: true, message: null })
  const takeBack = async () => {
    notifications.hide(id)
    try {
      await undo()
    } catch (error) {
      tellProblem(error)
    }
  }
  notifications.update({ id, autoClose: WHILE, message: <Said said={said} label="Undo" onClick={takeBack} /> })
}

/** What is waiting to be done, by what stops it. */
const waiting = new Map<string, () => void>()

/**
 * For what cannot be taken back once it is done: it is done after a while, or when the page is left, unless it is undone
 * before.
 * @param undone what shows that it is not to be
 */
export function doLater(said: ReactNode, act: () => Promise<unknown>, undone: () => void): void {
  const id = notifications.show({ autoClose: false, withCloseButton: false, message: null })
  const end = () => {
    clearTimeout(timer)
    waiting.delete(id)
    notifications.hide(id)
  }
  const now = () => {
    end()
    void act().catch(tellProblem)
  }
  const timer = setTimeout(now, WHILE)
  waiting.set(id, now)
  const stop = () => {
    end()
    undone()
  }
  notifications.update({
    id,
    autoClose: false,
    withCloseButton: false,
    message: <Said said={said} label="Undo" onClick={stop} />,
  })
}

/** What waits is done when the window is closed, or another one comes before it. */
function doAllNow(): void {
  for (const now of [...waiting.values()]) now()
}
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') doAllNow()
})

/** @param offer what may be done about it */
export function tellProblem(error: unknown, offer?: { readonly label: string; readonly onClick: () => void }): void {
  const said = error instanceof Error ? error.message : String(error)
  if (offer === undefined) {
    notifications.show({ color: 'red', autoClose: 10_000, message: said })
    return
  }
  const id = notifications.show({ color: 'red', autoClose: 20_000, message: null })
  const take = () => {
    notifications.hide(id)
    offer.onClick()
  }
  notifications.update({
    id,
    color: 'red',
    autoClose: 20_000,
    message: <Said said={said} label={offer.label} onClick={take} />,
  })
}

interface SaidProps {
  readonly said: ReactNode
  readonly label: string
  readonly onClick: () => void
}

const Said = ({ said, label, onClick }: SaidProps) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <Text size="sm">{said}</Text>
    <Button size="compact-sm" variant="default" flex="none" onClick={onClick}>
      {label}
    </Button>
  </Group>
)
