/** Notices of actions that can be undone for a while, in place of "are you sure?". */
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { isChangeOf, onChange } from '../api/changes.ts'
import { errorText, isPassing, notTakenBack } from '../api/problem.ts'

/** Milliseconds for which an action can be undone. */
const WHILE = 8000

interface Reversible {
  /** Paths of the resources that it has changed: a newer change of one of them withdraws the offer. */
  readonly things: readonly string[]
  /** Undoes the action on the versions that it has made. @throws Problem 412 where there are newer ones */
  readonly undo: () => Promise<unknown>
}

/** Offers at once: a newer one takes the place of the oldest, as none may wait unseen for the others to end. */
const MOST = 3

/** Functions that end the offers shown, by notification, the oldest first. */
const shown = new Map<string, () => void>()

function place(id: string, end: () => void): void {
  shown.set(id, end)
  for (const endOne of [...shown.values()].slice(0, -MOST)) endOne()
}

/** The paths of what offers would undo, by notification. */
const offers = new Map<string, readonly string[]>()

/** Undo stays until the server has done it; where the server cannot be reached, it can be tried again. */
export function offerUndo(said: ReactNode, { things, undo }: Reversible): void {
  things.forEach(withdraw)
  const id = notifications.show({ message: null, autoClose: WHILE, onClose: () => forget(id) })
  const show = (text: ReactNode, autoClose: number | false, more: Partial<SaidProps> = {}) =>
    notifications.update({
      id,
      autoClose,
      withCloseButton: !more.isBusy,
      message: <Said said={text} label="Undo" onClick={takeBack} {...more} />,
    })
  const offer = () => {
    offers.set(id, things)
    place(id, () => withdrawOffer(id))
  }
  const takeBack = async () => {
    // Neither a newer change nor a newer offer withdraws an undo under way.
    forget(id)
    show(said, false, { isBusy: true })
    try {
      await undo()
      notifications.hide(id)
    } catch (error) {
      if (isPassing(error)) {
        offer()
        show(error.message, false, { label: 'Try again' })
        return
      }
      notifications.hide(id)
      tellProblem(notTakenBack(error))
    }
  }
  offer()
  show(said, WHILE)
}

/** Withdraws the offers to undo earlier changes of the resource. */
function withdraw(changed: string): void {
  for (const [id, things] of offers) {
    if (!things.some((thing) => isChangeOf(changed, thing))) continue
    withdrawOffer(id)
  }
}
onChange(withdraw)

function withdrawOffer(id: string): void {
  forget(id)
  notifications.hide(id)
}

function forget(id: string): void {
  offers.delete(id)
  shown.delete(id)
}

interface Waiting {
  readonly things: readonly string[]
  /** Does it now; resolves once it is done, or has failed and the user was told. */
  readonly now: () => Promise<void>
}

/** Changes that wait or are under way, by notification. */
const waiting = new Map<string, Waiting>()

interface Later {
  /** Paths of the resources that it changes: a newer change of one of them makes it happen first, at once. */
  readonly things: readonly string[]
  readonly act: () => Promise<unknown>
  /** Called when the user has undone it. */
  readonly undone: () => void
}

/**
 * Delays an action that cannot be undone: it happens after a while, or when the page is left, unless the user undoes it
 * before that.
 */
export function doLater(said: ReactNode, { things, act, undone }: Later): void {
  const before = doNow(things)
  const id = notifications.show({ autoClose: false, withCloseButton: false, message: null })
  let done: Promise<void> | undefined
  const perform = async () => {
    clearTimeout(timer)
    withdrawOffer(id)
    await before
    await orTryAgain(act)
    waiting.delete(id)
  }
  const now = () => {
    done ??= perform()
    return done
  }
  const timer = setTimeout(now, WHILE)
  const stop = () => {
    clearTimeout(timer)
    waiting.delete(id)
    withdrawOffer(id)
    undone()
  }
  waiting.set(id, { things, now })
  place(id, now)
  notifications.update({
    id,
    autoClose: false,
    withCloseButton: false,
    message: <Said said={said} label="Undo" onClick={stop} />,
  })
}

/** Does it; where the server is away, the user can try again. */
async function orTryAgain(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const again = { label: 'Try again', onClick: () => void orTryAgain(act) }
    tellProblem(error, isPassing(error) ? again : undefined)
  }
}

/** Carries out the waiting changes of these resources, before a newer change of them. */
export async function doNow(things: readonly string[]): Promise<void> {
  const older = [...waiting.values()].filter((one) => one.things.some((thing) => things.includes(thing)))
  await Promise.all(older.map(({ now }) => now()))
}

/** Carries out all waiting changes, when the window is closed or hidden. */
function doAllNow(): void {
  for (const { now } of [...waiting.values()]) void now()
}
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') doAllNow()
})

/** @param offer a button that may solve the problem: the notice stays until it is pressed or dismissed */
export function tellProblem(error: unknown, offer?: { readonly label: string; readonly onClick: () => void }): void {
  const said = errorText(error)
  if (offer === undefined) {
    notifications.show({ color: 'red', autoClose: 10_000, message: said })
    return
  }
  const id = notifications.show({ color: 'red', autoClose: false, message: null })
  const take = () => {
    notifications.hide(id)
    offer.onClick()
  }
  notifications.update({
    id,
    color: 'red',
    autoClose: false,
    message: <Said said={said} label={offer.label} onClick={take} />,
  })
}

interface SaidProps {
  readonly said: ReactNode
  readonly label: string
  readonly onClick: () => void
  readonly isBusy?: boolean
}

const Said = ({ said, label, onClick, isBusy = false }: SaidProps) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <Text size="sm">{said}</Text>
    <Button size="compact-sm" variant="default" flex="none" loading={isBusy} onClick={onClick}>
      {label}
    </Button>
  </Group>
)
