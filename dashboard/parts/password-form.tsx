/** A new password, of oneself or of somebody else, which ends all sessions of the account. */
import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { setPassword } from '../api/accounts.ts'
import { useUser } from './clinic-context.tsx'
import { FormError, useSubmit } from './sign-in.tsx'

export function PasswordForm({ username, onClose }: { readonly username: string; readonly onClose: () => void }) {
  const isOwn = useUser().username === username
  const [current, setCurrent] = useState('')
  const [password, setTyped] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    await setPassword(username, password, isOwn ? current : undefined)
    onClose()
    notifications.show({ message: `${username} has a new password, and is signed out everywhere.` })
  })
  return (
    <Modal opened onClose={onClose} title={`New password of ${username}`}>
      <form onSubmit={submit}>
        <Stack>
          {isOwn && (
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              required
              data-autofocus
              value={current}
              onChange={({ currentTarget: { value } }) => setCurrent(value)}
            />
          )}
          <PasswordInput
            label="New password"
            description="10 to 1024 characters, and not the user name"
            autoComplete="new-password"
            required
            data-autofocus={isOwn ? undefined : true}
            value={password}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
          <FormError text={error} />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              Set it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
