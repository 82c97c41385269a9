/** The account menu: the user, the colour scheme, the token, and signing out. */
import { ActionIcon, Menu, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useState } from 'react'
import { now } from '../api/clock.ts'
import { type Session, signOut } from '../api/session.ts'
import { relativeText } from '../fhir/time.ts'
import { useUser } from './clinic-context.tsx'
import { copyText } from './copy.tsx'
import { Icon } from './icon.tsx'
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
      <Menu position="bottom-end" width={240} defaultOpened>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="Account and look">
            <Icon name="user" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text span size="sm" fw={600} c="var(--mantine-color-text)">
              <bdi>{user.name}</bdi>
            </Text>
            <br />
            {user.role}
            {user.isPasted ? ', by a token of another issuer' : ''}
          </Menu.Label>
          <Menu.Item
            leftSection={<Icon name={isDark ? 'sun' : 'moon'} />}
            onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
          >
            {isDark ? 'Light' : 'Dark'}
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="key" />}
            onClick={() => copyText(user.token, `The token is copied; it ${lifetimeOf(user)}.`)}
          >
            Copy token
            <Text size="xs" c="dimmed">
              {lifetimeOf(user)}
            </Text>
          </Menu.Item>
          {!user.isPasted && (
            <Menu.Item leftSection={<Icon name="key" />} onClick={() => setChangingPassword(true)}>
              Change password…
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="signOut" />} onClick={() => void signOut()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChangingPassword && <PasswordForm username={user.username} onClose={() => setChangingPassword(false)} />}
    </>
  )
}
