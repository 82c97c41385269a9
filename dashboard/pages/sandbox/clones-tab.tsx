/** Clones: clinics that expire, each with its own token and dialled number. The token is shown once. docs/snapshots.md */
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { endClone, makeClone, scenarios, snapshotsOf } from '../../api/rehearsal.ts'
import type { Clone } from '../../api/rehearsal-answers.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Copied, CopyButton } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { WhenRead } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { Time } from '../../parts/times.tsx'
import { tellProblem } from '../../parts/undo.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'

const LIFETIMES = [
  { value: 'PT30M', label: '30 minutes' },
  { value: 'PT1H', label: '1 hour' },
  { value: 'PT8H', label: '8 hours' },
  { value: 'P1D', label: '1 day' },
  { value: 'P7D', label: '7 days' },
]

export function ClonesTab() {
  const mayChange = useMayChange()
  // Tokens are not read again, so nothing but this page has them.
  const [made, setMade] = useState<readonly Clone[]>([])
  return (
    <Stack>
      <Text size="sm" maw={640}>
        A clone is a clinic beside this one, for a test or a job of continuous integration: what happens in it changes
        nothing here, and when its time is over it goes with all its data.
      </Text>
      {mayChange && <CloneForm onMade={(clone) => setMade((before) => [clone, ...before])} />}
      {made.map((clone) => (
        <MadeClone
          key={clone.id}
          clone={clone}
          onEnded={() => setMade((before) => before.filter(({ id }) => id !== clone.id))}
        />
      ))}
    </Stack>
  )
}

/** In place of a scenario or snapshot. */
const AS_IT_IS = ''

function CloneForm({ onMade }: { readonly onMade: (clone: Clone) => void }) {
  const { id: clinic } = useClinic()
  const [ofServer, ofClinic] = [useQuery(scenarios), useQuery(snapshotsOf(clinic))]
  const [known, snapshots] = [ofServer.data ?? [], ofClinic.data ?? []]
  const [from, setFrom] = useState(AS_IT_IS)
  const [ttl, setTtl] = useState('PT1H')
  const [name, setName] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    const [kind, source] = from.split(':')
    const filling = kind === 'scenario' ? { scenario: source ?? '' } : { snapshot: source ?? '' }
    const named = name.trim() === '' ? {} : { name: name.trim() }
    onMade(await makeClone({ from: { clinic, ...(from === AS_IT_IS ? {} : filling) }, ttl, ...named }))
    setName('')
  })
  const { question } = useUnsaved(name.trim() !== '' && !isBusy, { leftBy: ({ tab }) => tab })
  const choices = [
    { value: AS_IT_IS, label: 'This clinic as it is' },
    { group: 'Scenarios', items: known.map((one) => ({ value: `scenario:${one.name}`, label: one.title })) },
    { group: 'Snapshots', items: snapshots.map((one) => ({ value: `snapshot:${one.name}`, label: one.name })) },
  ]
  return (
    <WhenRead queries={[ofServer, ofClinic]} rows={2}>
      <form onSubmit={submit} aria-label="New clone">
        <Stack gap="sm">
          <Group align="end" gap="sm">
            <NativeSelect
              label="Filled with"
              data={choices}
              value={from}
              onChange={({ currentTarget: { value } }) => setFrom(value)}
            />
            <NativeSelect
              label="Lifetime"
              data={LIFETIMES}
              value={ttl}
              onChange={({ currentTarget: { value } }) => setTtl(value)}
            />
            <TextInput
              label="Name"
              placeholder="that of this clinic"
              value={name}
              onChange={({ currentTarget: { value } }) => setName(value)}
            />
            <Button type="submit" loading={isBusy}>
              Make a clone
            </Button>
          </Group>
          <FormError text={error} />
          {question}
        </Stack>
      </form>
    </WhenRead>
  )
}

function MadeClone({ clone, onEnded }: { readonly clone: Clone; readonly onEnded: () => void }) {
  const { id, token, username, password, base, dialedNumber, expiresAt } = clone
  return (
    <Panel
      title={id}
      aside={
        <Button size="xs" variant="default" onClick={() => endClone(id).then(onEnded, tellProblem)}>
          End it now
        </Button>
      }
    >
      <Stack gap="sm">
        <Alert>Token and password are shown here once: copy them before you leave this page.</Alert>
        <Facts
          facts={[
            ['Token', token !== undefined && <Copied key="token" text={token} what="token" />],
            ['User name', username],
            ['Password', <Copied key="password" text={password} what="password" />],
            ['Base URL', <Copied key="base" text={base} what="base URL" />],
            ['Number', <Copied key="number" text={dialedNumber} what="number" />],
            ['Expires', <Time key="expires" at={expiresAt} />],
          ]}
        />
        <Group>
          <CopyButton text={shellLines(clone)} label="Copy for a shell" said="The lines for a shell are copied." />
        </Group>
      </Stack>
    </Panel>
  )
}

/** The variables of docs/sandbox-command.md. */
function shellLines({ id, token, username, password, base, dialedNumber }: Clone): string {
  const login = token === undefined ? { USER: username, PASSWORD: password } : { TOKEN: token }
  return Object.entries({ URL: base, CLINIC: id, ...login, NUMBER: dialedNumber })
    .map(([name, value]) => `export SANDBOX_${name}='${value}'`)
    .join('\n')
}
