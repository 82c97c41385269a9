/** The external systems of the clinic: each can be set up, tried and removed. */
import { Alert, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { type Trial, tryConnector } from '../../api/clinic-settings.ts'
import { isRecord, Problem } from '../../api/problem.ts'
import { Panel } from '../../parts/panel.tsx'
import type { FieldsProps } from './field-input.tsx'
import { FieldGrid } from './fields.tsx'
import { valueAt, withValueAt } from './setting-values.ts'
import { CONNECTORS, type Connector } from './settings-fields.ts'

interface ConnectorPanelsProps extends FieldsProps {
  readonly clinic: string
  /** Whether there are unsaved changes, which a trial would not use. */
  readonly isChanged: boolean
}

export const ConnectorPanels = (props: ConnectorPanelsProps) => (
  <>
    {CONNECTORS.map((connector) => (
      <ConnectorPanel key={connector.name} connector={connector} {...props} />
    ))}
  </>
)

function ConnectorPanel({
  connector,
  clinic,
  isChanged,
  ...fields
}: ConnectorPanelsProps & { readonly connector: Connector }) {
  const { name, title, note, fresh, canBeTried } = connector
  const current = valueAt(fields.settings, name)
  const set = (value: unknown) => fields.onChange(withValueAt(fields.settings, name, value))
  if (!isRecord(current)) {
    return (
      <Panel title={title}>
        <Text size="sm" c="dimmed" mb="xs">
          {note} It is not set up.
        </Text>
        <Button variant="default" size="xs" onClick={() => set(fresh)}>
          Set up
        </Button>
      </Panel>
    )
  }
  return (
    <Panel
      title={title}
      aside={
        <Button variant="subtle" size="compact-sm" onClick={() => set(undefined)}>
          Remove
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="xs">
        {note}
      </Text>
      <FieldGrid fields={connector.fields(current)} {...fields} />
      {canBeTried && <TryIt clinic={clinic} name={name} isChanged={isChanged} />}
    </Panel>
  )
}

function TryIt({
  clinic,
  name,
  isChanged,
}: {
  readonly clinic: string
  readonly name: string
  readonly isChanged: boolean
}) {
  const [trial, setTrial] = useState<Trial>()
  const [isBusy, setBusy] = useState(false)
  const tryIt = async () => {
    setBusy(true)
    setTrial(await tryConnector(clinic, name).catch(failed))
    setBusy(false)
  }
  return (
    <Group mt="sm" gap="sm">
      <Button variant="default" size="xs" loading={isBusy} disabled={isChanged} onClick={tryIt}>
        Try it
      </Button>
      {isChanged && (
        <Text size="xs" c="dimmed">
          Save first: what is saved is tried.
        </Text>
      )}
      {trial !== undefined && (
        <Alert
          color={trial.outcome === 'ok' || trial.outcome === 'accepted' ? 'green' : 'red'}
          role="status"
          p="xs"
          flex={1}
          miw={220}
        >
          {trial.reason} {trial.duration > 0 && `(${Math.round(trial.duration)} ms)`}
        </Alert>
      )}
    </Group>
  )
}

const failed = (error: unknown): Trial => ({
  outcome: 'failed',
  reason: error instanceof Problem ? error.message : String(error),
  duration: 0,
})
