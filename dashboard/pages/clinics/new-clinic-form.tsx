/** Makes a clinic. Its other settings are made in its settings. */
import { Button, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { clinicList, makeClinic } from '../../api/clinics.ts'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useGo } from '../../parts/use-go.ts'
import { useTyped } from '../../parts/use-typed.ts'

export function NewClinicForm({ onDone }: { readonly onDone: () => void }) {
  const client = useQueryClient()
  const go = useGo()
  const { typed, set } = useTyped({ name: '', id: '', timeZone: 'America/New_York', defaultRegion: 'US' })
  const { error, isBusy, submit } = useSubmit(async () => {
    await makeClinic(typed)
    await client.invalidateQueries({ queryKey: clinicList.queryKey })
    notifications.show({ message: `${typed.name} is made.` })
    onDone()
    go('/settings', { clinic: typed.id })
  })
  const { question } = useUnsaved(`${typed.name}${typed.id}` !== '' && !isBusy)
  return (
    <form onSubmit={submit} aria-label="New clinic">
      <Stack className="card" p="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
          <TextInput label="Name" required value={typed.name} onChange={set('name')} />
          <TextInput
            label="Id"
            description="1 to 64 letters, digits, - or ."
            required
            autoComplete="off"
            value={typed.id}
            onChange={set('id')}
          />
          <TextInput label="Time zone" required value={typed.timeZone} onChange={set('timeZone')} />
          <TextInput
            label="Country"
            description="Two letters, ISO 3166"
            required
            value={typed.defaultRegion}
            onChange={set('defaultRegion')}
          />
        </SimpleGrid>
        <FormError text={error} />
        {question}
        <Button type="submit" loading={isBusy} w="fit-content">
          Make the clinic
        </Button>
      </Stack>
    </form>
  )
}
