/** A new password for somebody else, which ends their sessions. */
import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { setPassword } from '../../api/accounts.ts'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'

export function PasswordForm({ username, onClose }: { readonly username: string; readonly onClose: () => void }) {
  const [password, setTyped] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    await setPassword(username, password)
    onClose()
    notifications.show({ message: `${username} has a new password, and is signed out everywhere.` })
  })
  return (
    <Modal opened onClose={onClose} title={`New password of ${username}`}>
      <form onSubmit={submit}>
        <Stack>
          <PasswordInput
            label="New password"
            description="10 to 1024 characters, and not the user name"
            autoComplete="new-password"
            required
            data-autofocus
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
