/** The account menu: the user, the colour scheme, the token, and signing out. */
import { Box, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useState } from 'react'
import { now } from '../api/clock.ts'
import { type Session, signOut } from '../api/session.ts'
import { relativeText } from '../fhir/time.ts'
import { ActionList } from './action-list.tsx'
import { useUser } from './clinic-context.tsx'
import { copyText } from './copy.tsx'
import { PasswordForm } from './password-form.tsx'

/** A token of a browser is renewed, so the copy may have less time than the session. */
const lifetimeOf = ({ expiresAt }: Session): string =>
  Number.isFinite(expiresAt) ? `expires ${relativeText(expiresAt, now())}` : 'does not expire'

/** Initially open, as it is loaded only when the user opens it. */
export function UserMenu() {
  const user = useUser()
  const scheme = useComputedColorScheme('light')
  const { setColorScheme } = useMantineColorScheme()
  const isDark = scheme === 'dark'
  const [isChangingPassword, setChangingPassword] = useState(false)
  return (
    <>
      <ActionList
        label="Account and look"
        icon="user"
        isIconOnly
        isInitiallyOpen
        head={<Head />}
        actions={[
          {
            label: isDark ? 'Light' : 'Dark',
            icon: isDark ? 'sun' : 'moon',
            run: () => setColorScheme(isDark ? 'light' : 'dark'),
          },
          {
            label: 'Copy token',
            icon: 'key',
            note: lifetimeOf(user),
            run: () => copyText(user.token, `The token is copied; it ${lifetimeOf(user)}.`),
          },
          ...(user.isPasted
            ? []
            : [{ label: 'Change password…', icon: 'key', run: () => setChangingPassword(true) } as const]),
          { label: 'Sign out', icon: 'signOut', run: () => void signOut() },
        ]}
      />
      {isChangingPassword && <PasswordForm username={user.username} onClose={() => setChangingPassword(false)} />}
    </>
  )
}

function Head() {
  const user = useUser()
  return (
    <Box px="sm" py="xs" maw={240}>
      <Text size="sm" fw={600}>
        <bdi>{user.name}</bdi>
      </Text>
      <Text size="xs" c="dimmed">
        {user.role}
        {user.isPasted ? ', by a token of another issuer' : ''}
      </Text>
    </Box>
  )
}
