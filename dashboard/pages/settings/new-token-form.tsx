/** Makes a token for a program. */
import { Button, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../api/session.ts'
import { type MadeToken, makeToken } from '../../api/tokens.ts'
import { useUser } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useTyped } from '../../parts/use-typed.ts'

const LIFETIMES = [
  { value: 'P1D', label: '1 day' },
  { value: 'P7D', label: '7 days' },
  { value: 'P30D', label: '30 days' },
  { value: 'P90D', label: '90 days' },
  { value: 'P365D', label: '1 year' },
]

const ROLES = ['staff', 'admin', 'operator']

/** Never higher than that of the maker; without a clinic there is nothing for other roles. */
const rolesFor = ({ role, clinic }: Session): readonly string[] =>
  clinic === undefined ? ['operator'] : ROLES.slice(0, ROLES.indexOf(role) + 1)

export function NewTokenForm({ onMade }: { readonly onMade: (made: MadeToken) => void }) {
  const client = useQueryClient()
  const roles = rolesFor(useUser())
  const { typed, set } = useTyped({ name: '', role: roles[0] ?? 'staff', ttl: 'P90D' })
  const { error, isBusy, submit } = useSubmit(async () => {
    const made = await makeToken(typed)
    onMade(made)
    await client.invalidateQueries({ queryKey: ['tokens'] })
  })
  const { question } = useUnsaved(typed.name !== '' && !isBusy, { leftBy: ({ tab }) => tab })
  return (
    <form onSubmit={submit} aria-label="New token">
      <Stack className="card" p="md">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput
            label="Name of the program"
            required
            autoComplete="off"
            maxLength={100}
            value={typed.name}
            onChange={set('name')}
          />
          <NativeSelect label="Role" data={[...roles]} value={typed.role} onChange={set('role')} />
          <NativeSelect label="Lifetime" data={LIFETIMES} value={typed.ttl} onChange={set('ttl')} />
        </SimpleGrid>
        <FormError text={error} />
        {question}
        <Button type="submit" loading={isBusy} w="fit-content">
          Make the token
        </Button>
      </Stack>
    </form>
  )
}
