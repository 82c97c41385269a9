/** Makes an account. */
import { Button, NativeSelect, PasswordInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { addAccount } from '../../api/accounts.ts'
import { useUser } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useTyped } from '../../parts/use-typed.ts'

export function NewAccountForm({ onDone }: { readonly onDone: () => void }) {
  const user = useUser()
  const client = useQueryClient()
  const isOperator = user.role === 'operator'
  const { typed, set } = useTyped({ username: '', name: '', password: '', role: 'staff', clinic: user.clinic ?? '' })
  const { error, isBusy, submit } = useSubmit(async () => {
    await addAccount({ ...typed, clinic: typed.clinic || undefined })
    await client.invalidateQueries({ queryKey: ['accounts'] })
    notifications.show({ message: `${typed.username} can sign in now.` })
    onDone()
  })
  const isTyped = [typed.username, typed.name, typed.password].some((text) => text !== '')
  const { question } = useUnsaved(isTyped && !isBusy, { leftBy: ({ tab }) => tab })
  return (
    <form onSubmit={submit} aria-label="New account">
      <Stack className="card" p="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
          <TextInput label="User name" required autoComplete="off" value={typed.username} onChange={set('username')} />
          <TextInput label="Name of the person" required value={typed.name} onChange={set('name')} />
          <PasswordInput
            label="Password"
            description="10 to 1024 characters, and not the user name"
            required
            autoComplete="new-password"
            value={typed.password}
            onChange={set('password')}
          />
          <NativeSelect
            label="Role"
            data={isOperator ? ['staff', 'admin', 'operator'] : ['staff']}
            value={typed.role}
            onChange={set('role')}
          />
          {isOperator && <TextInput label="Clinic" value={typed.clinic} onChange={set('clinic')} />}
        </SimpleGrid>
        <FormError text={error} />
        {question}
        <Button type="submit" loading={isBusy} w="fit-content">
          Make the account
        </Button>
      </Stack>
    </form>
  )
}
