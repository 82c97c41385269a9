/** Another name of the person whose account it is. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Account, accountPath, setName } from '../../api/accounts.ts'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'

export function NameForm({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const { username, name } = account
  const client = useQueryClient()
  const [typed, setTyped] = useState(name)
  const call = async (next: string, before?: string) => {
    const tag = await setName(username, next, before)
    await client.invalidateQueries({ queryKey: ['accounts'] })
    return tag
  }
  const { error, isBusy, submit } = useSubmit(async () => {
    const tag = await call(typed.trim())
    onClose()
    const said = `${username} is called ${typed.trim()} now.`
    offerUndo(said, { things: [accountPath(username)], undo: () => call(name, tag) })
  })
  const { close, question } = useUnsaved(typed !== name && !isBusy, { onClose })
  return (
    <Modal opened onClose={close} title={`Name of ${username}`}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name of the person"
            required
            data-autofocus
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
          <FormError text={error} />
          {question}
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
