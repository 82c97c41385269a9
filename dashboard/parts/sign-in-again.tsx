/**
 * Asks for the password over the page when the session has ended: text typed in the page stays, and is sent afterwards.
 */
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { usePastedToken as enterWithToken, type Session, signIn, signOut } from '../api/session.ts'
import { FormError, useSubmit } from './sign-in.tsx'

export function SignInAgain({ session }: { readonly session: Session }) {
  const [secret, setSecret] = useState('')
  const { username, isPasted } = session
  const { error, isBusy, submit } = useSubmit(async () =>
    isPasted ? enterWithToken(secret) : await signIn(username, secret),
  )
  return (
    <Modal opened onClose={() => {}} withCloseButton={false} title="Your session has ended" centered zIndex={1000}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Nothing is lost: your work continues when you, <bdi>{session.name}</bdi>, have signed in again.
          </Text>
          <PasswordInput
            label={isPasted ? 'A new token' : `Password of ${username}`}
            autoComplete={isPasted ? 'off' : 'current-password'}
            required
            data-autofocus
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
          <FormError text={error} />
          <Group justify="space-between">
            <Button variant="subtle" onClick={() => void signOut()}>
              Sign out
            </Button>
            <Button type="submit" loading={isBusy}>
              Go on
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
