/** Everything that a client needs to take part in an open run: address, token, numbers, and lines for a shell. */
import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Run } from '../../api/rehearsal-answers.ts'
import { startedRun } from '../../api/runs.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Copied, CopyButton } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Time } from '../../parts/times.tsx'

export function Connection({ run }: { readonly run: Run }) {
  const { settings } = useClinic()
  const { data: started } = useQuery(startedRun(run.run))
  const { base, callPrefix, until } = run
  const token = started?.token
  const number = started?.dialedNumber ?? settings.dialedNumbers[0]
  const lines = shellLines({ run, token, number })
  return (
    <details className="card" style={{ padding: 'var(--mantine-spacing-md)' }} open={token !== undefined}>
      <summary>
        <b>Connect the client</b>
      </summary>
      <Stack gap="sm" mt="sm">
        {token !== undefined && <Alert>The token is shown here until you reload the page: copy it before.</Alert>}
        <Facts
          facts={[
            ['Base URL', <Copied key="base" text={base} what="base URL" />],
            ['Token', token !== undefined && <Copied key="token" text={token} what="token" />],
            ['Run', <Copied key="run" text={run.run} what="run" />],
            ['Call prefix', <Copied key="prefix" text={callPrefix} what="call prefix" />],
            ['Number', number !== undefined && <Copied key="number" text={number} what="number" />],
            ['Ends by itself', <Time key="until" at={until} />],
          ]}
        />
        <Text size="sm" c="dimmed">
          A request belongs to the run by the token that starting it gave, by the header{' '}
          <span className="mono">X-Sandbox-Run: {run.run}</span>, by a call id that begins with the prefix, or because
          no other run is open.
        </Text>
        <Text component="pre" className="mono" m={0} style={{ whiteSpace: 'pre-wrap' }}>
          {lines}
        </Text>
        <Group>
          <CopyButton text={lines} label="Copy for a shell" said="The lines for a shell are copied." />
        </Group>
      </Stack>
    </details>
  )
}

interface Known {
  readonly run: Run
  readonly token: string | undefined
  readonly number: string | undefined
}

function shellLines({ run: { run, clinic, base, callPrefix }, token, number }: Known): string {
  const variables = {
    ...{ BASE: base, CLINIC: clinic, RUN: run, CALL_PREFIX: callPrefix },
    ...(number === undefined ? {} : { NUMBER: number }),
    TOKEN: token ?? '<a token of the clinic>',
  }
  return [
    ...Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`),
    'curl -s "$BASE/Patient?_count=1" -H "Authorization: Bearer $TOKEN" -H "X-Sandbox-Run: $RUN"',
  ].join('\n')
}
