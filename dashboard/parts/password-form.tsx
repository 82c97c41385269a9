/** A new password, of oneself or of somebody else, which ends all sessions of the account. */
import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { setPassword } from '../api/accounts.ts'
import { useUser } from './clinic-context.tsx'
import { FormError, useSubmit } from './sign-in.tsx'
import { useUnsaved } from './unsaved.tsx'

export function PasswordForm({ username, onClose }: { readonly username: string; readonly onClose: () => void }) {
  const isOwn = useUser().username === username
  const [current, setCurrent] = useState('')
  const [password, setTyped] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    await setPassword(username, password, isOwn ? current : undefined)
    onClose()
    notifications.show({ message: `${username} has a new password, and is signed out everywhere.` })
  })
  const { close, question } = useUnsaved(`${current}${password}` !== '' && !isBusy, { onClose })
  return (
    <Modal opened onClose={close} title={`New password of ${username}`}>
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
          {question}
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
