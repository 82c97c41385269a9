/** Starts a run, and leads to it. */
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plansOf } from '../../api/plans.ts'
import { profiles, useStartRun } from '../../api/runs.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Panel } from '../../parts/panel.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useGo } from '../../parts/use-go.ts'

const PROFILES = 'strictness-profiles'

export function StartForm() {
  const { id: clinic } = useClinic()
  const go = useGo()
  const start = useStartRun(clinic)
  const { data: plans = [] } = useQuery(plansOf(clinic))
  const { data: known = [] } = useQuery(profiles)
  const [{ plan: linked }, setFilters] = useFilters({ plan: '' })
  const [client, setClient] = useState('')
  const [as, setAs] = useState('')
  const [clone, setClone] = useState(false)
  const chosen = plans.find(({ plan }) => plan === linked) ?? plans[0]
  const { error, isBusy, submit } = useSubmit(async () => {
    const { run, clinic: of } = await start.mutateAsync({
      plan: chosen?.plan ?? linked,
      clone,
      ...(client.trim() === '' ? {} : { clientName: client.trim() }),
      ...(as.trim() === '' ? {} : { as: as.trim() }),
    })
    go(`/runs/${run}`, of === clinic ? {} : { clinic: of })
  })
  const { question } = useUnsaved(`${client}${as}`.trim() !== '' && !isBusy)
  return (
    <Panel title="Start a run">
      <form onSubmit={submit} aria-label="New run">
        <Stack gap="sm">
          <Group align="end" gap="sm">
            <NativeSelect
              label="Plan"
              required
              data={plans.map(({ plan, title }) => ({ value: plan, label: title }))}
              value={chosen?.plan ?? ''}
              onChange={({ currentTarget: { value } }) => setFilters({ plan: value }, { replace: true })}
            />
            <TextInput
              label="Name of the client"
              placeholder="a client"
              maxLength={100}
              value={client}
              onChange={({ currentTarget: { value } }) => setClient(value)}
            />
            <TextInput
              label="Strictness profile"
              placeholder="none"
              list={PROFILES}
              value={as}
              onChange={({ currentTarget: { value } }) => setAs(value)}
            />
          </Group>
          <datalist id={PROFILES}>
            {known.map(({ name, title }) => (
              <option key={name} value={name} label={title} />
            ))}
          </datalist>
          <Checkbox
            label="A clinic of its own"
            description={`Filled with the scenario ${chosen?.scenario ?? 'of this clinic'}, and gone when its time is over.`}
            checked={clone}
            onChange={({ currentTarget: { checked } }) => setClone(checked)}
          />
          {chosen !== undefined && (
            <Text size="sm" c="dimmed" maw={720}>
              {chosen.description}
            </Text>
          )}
          <FormError text={error} />
          {question}
          <Button type="submit" w="fit-content" loading={isBusy} disabled={chosen === undefined}>
            Start
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
