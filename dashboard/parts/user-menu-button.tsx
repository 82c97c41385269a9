/** The button of the account menu, which is loaded when somebody is about to use it. */
import { ActionIcon } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { Icon } from './icon.tsx'

const load = () => import('./user-menu.tsx')
const UserMenu = lazy(async () => ({ default: (await load()).UserMenu }))

export function UserMenuButton() {
  const [isWanted, setWanted] = useState(false)
  const button = (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label="Account and look"
      aria-haspopup="dialog"
      onPointerEnter={load}
      onFocus={load}
      onClick={() => setWanted(true)}
    >
      <Icon name="user" />
    </ActionIcon>
  )
  return isWanted ? (
    <Suspense fallback={button}>
      <UserMenu />
    </Suspense>
  ) : (
    button
  )
}
